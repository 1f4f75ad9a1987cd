//! The files of the page: the folder `web`, embedded in the program. Debug builds read it from disk at every
//! request, so that an edit needs a reload and no build.

use std::borrow::Cow;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use chess::svg::piece_sheet;
use rust_embed::Embed;

#[derive(Embed)]
#[folder = "web/"]
struct Web;

/// The types of files that are served; others, such as the sources' notes and settings, are not there.
const TYPES: [(&str, &str); 6] = [
    ("html", "text/html; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
];

/// The answer to a `GET` of a path; 404 for everything that is no file of the page.
pub fn answer(path: &str, headers: &HeaderMap) -> Response<Body> {
    match file(path) {
        Some(file) => file.answer(headers),
        None => crate::http::refuse(StatusCode::NOT_FOUND, "there is no such page"),
    }
}

/// A file with its type.
struct File {
    data: Cow<'static, [u8]>,
    media_type: &'static str,
    tag: String,
}

impl File {
    fn answer(self, headers: &HeaderMap) -> Response<Body> {
        let mut response = Response::new(Body::empty());
        let fields = response.headers_mut();
        fields.insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        // Kept, and asked for again at every use: another version of the program has other files.
        fields.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Ok(tag) = HeaderValue::from_str(&self.tag) {
            fields.insert(ETAG, tag);
        }
        if headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == self.tag.as_bytes()) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        *response.body_mut() = match self.data {
            Cow::Borrowed(data) => Body::from(Bytes::from_static(data)),
            Cow::Owned(data) => Body::from(data),
        };
        response
    }
}

fn file(path: &str) -> Option<File> {
    let name = path.strip_prefix('/')?;
    let name = if name.is_empty() { "index.html" } else { name };
    if !is_plain(name) {
        return None;
    }
    let (_, extension) = name.rsplit_once('.')?;
    let media_type = TYPES.iter().find(|(known, _)| *known == extension)?.1;
    if name == "pieces.svg" {
        let data = piece_sheet().into_bytes();
        let tag = format!("\"pieces-{}-{}\"", env!("CARGO_PKG_VERSION"), data.len());
        return Some(File { data: data.into(), media_type, tag });
    }
    if !name.contains('/') && ["package.json", "tsconfig.json"].contains(&name) {
        return None;
    }
    let file = Web::get(name)?;
    let hash = file.metadata.sha256_hash();
    let tag = hash[..16].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    Some(File { data: file.data, media_type, tag: format!("\"{tag}\"") })
}

/// Names with nothing in them that has a meaning to a file system: no escapes, no dots at the beginning.
fn is_plain(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    name.len() <= 200
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_to_a_file_system_are_no_files() {
        for path in [
            "",
            "index.html",
            "//index.html",
            "/../index.html",
            "/./index.html",
            "/..%2findex.html",
            "/%2e%2e/index.html",
            "/web\\index.html",
            "/index.html/",
            "/index.html\0",
            "/.git/config",
            "/../Cargo.toml",
            "/C:/index.html",
            "/README.md",
            "/protocol.d.ts",
            "/tsconfig.json",
        ] {
            assert!(file(path).is_none(), "{path}");
        }
    }

    #[test]
    fn the_pieces_are_one_file_with_all_shapes_alone_and_in_unions() {
        let file = file("/pieces.svg").expect("pieces");
        let text = String::from_utf8(file.data.into_owned()).unwrap();
        for letter in "pnbrqk".chars() {
            for id in ["", "union-white-", "union-black-"] {
                assert!(text.contains(&format!("id=\"tabiya-{id}{letter}\"")), "{id}{letter}");
            }
        }
    }
}
