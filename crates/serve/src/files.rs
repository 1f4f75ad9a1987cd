//! The files of the page: the directory `web`, embedded in the program. Debug builds read it from disk at every
//! request, so that an edit needs a reload and no build.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;
use std::sync::{LazyLock, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use chess::svg::piece_sheet;
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::Embed;

#[derive(Embed)]
#[folder = "web/"]
struct Web;

/// The media types that are served; files with other extensions are not found.
const TYPES: [(&str, &str); 6] = [
    ("html", "text/html; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
];

/// The response to a `GET` of a path; 404 unless it is a file of the page.
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
        // Cached, but revalidated on every use.
        fields.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        fields.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if let Ok(tag) = HeaderValue::from_str(&self.tag) {
            fields.insert(ETAG, tag);
        }
        if headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == self.tag.as_bytes()) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        if takes_gzip(headers)
            && let Some(packed) = self.packed()
        {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            *response.body_mut() = Body::from(packed);
            return response;
        }
        *response.body_mut() = match self.data {
            Cow::Borrowed(data) => Body::from(Bytes::from_static(data)),
            Cow::Owned(data) => Body::from(data),
        };
        response
    }

    /// The file compressed by gzip, cached.
    fn packed(&self) -> Option<Bytes> {
        static PACKED: LazyLock<Mutex<HashMap<String, Bytes>>> = LazyLock::new(Mutex::default);
        let mut packed = PACKED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(data) = packed.get(&self.tag) {
            return Some(data.clone());
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&self.data).ok()?;
        let data = Bytes::from(encoder.finish().ok()?);
        packed.insert(self.tag.clone(), data.clone());
        Some(data)
    }
}

/// Whether `Accept-Encoding` lists gzip; all browsers do, without a weight.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|list| list.split(',').any(|name| name.trim() == "gzip"))
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
        let tag = format!("W/\"pieces-{}-{}\"", env!("CARGO_PKG_VERSION"), data.len());
        return Some(File { data: data.into(), media_type, tag });
    }
    if !name.contains('/') && ["package.json", "tsconfig.json"].contains(&name) {
        return None;
    }
    let file = Web::get(name)?;
    let hash = file.metadata.sha256_hash();
    let tag = hash[..16].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    Some(File { data: file.data, media_type, tag: format!("W/\"{tag}\"") })
}

/// Plain names only: no escapes, no leading dot.
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
    fn only_plain_names_are_files() {
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
    fn all_files_of_the_page_together_have_less_than_300_kb() {
        let served = Web::iter().filter_map(|name| file(&format!("/{name}")));
        let bytes: usize = served.map(|file| file.data.len()).sum();
        assert!((100_000..300_000).contains(&bytes), "{bytes} bytes");
    }

    #[test]
    fn packed_files_are_the_files() {
        let file = file("/main.js").expect("the shell");
        for _ in 0..2 {
            let packed = file.packed().expect("gzip");
            let mut text = Vec::new();
            let mut decoder = flate2::read::GzDecoder::new(&packed[..]);
            std::io::Read::read_to_end(&mut decoder, &mut text).expect("gzip");
            assert!(text == *file.data && packed.len() < text.len() / 2);
        }
        let accepts = |value| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(value));
            takes_gzip(&headers)
        };
        assert!(accepts("gzip") && accepts("br, gzip, deflate"));
        assert!(!accepts("") && !accepts("identity") && !accepts("gzip;q=0"));
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
