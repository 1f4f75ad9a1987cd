//! HTTP: access control, a closed set of routes, security headers on every response.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Request};
use axum::http::header::{CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};

use crate::access::{Access, AccessError, Authentication};
use crate::tabs::Tabs;
use crate::{files, socket, uploads};

/// State shared by all requests.
pub struct Shared {
    /// Access control.
    pub access: Access,
    /// The tabs and their uploads.
    pub tabs: Tabs,
}

/// No inline scripts or styles, no other origins, no framing.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

const SECURITY_HEADERS: [(&str, &str); 7] = [
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
];

/// The longest message in bytes; longer texts are uploaded.
const MAX_MESSAGE: usize = 64 << 10;
/// The read buffer of a socket in bytes.
const READ_BUFFER: usize = 8 << 10;

/// Answers a request received at the address `local`.
pub async fn answer(shared: Arc<Shared>, local: SocketAddr, request: Request) -> Response<Body> {
    let mut response = match check(&shared.access, local, &request) {
        Ok(authentication) => {
            let mut response = route(&shared, request).await;
            if authentication == Authentication::Query
                && let Some(cookie) = shared.access.cookie(local.port())
                && let Ok(cookie) = HeaderValue::from_str(&cookie)
            {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            response
        }
        Err(error) => refuse(status(error), &error.to_string()),
    };
    set_security_headers(response.headers_mut());
    response
}

fn check(
    access: &Access,
    local: SocketAddr,
    request: &Request,
) -> Result<Authentication, AccessError> {
    // Only scripts open sockets and post; browsers then send an `Origin`.
    let needs_origin = request.uri().path() == "/ws" || request.method() == Method::POST;
    access.check(local, request.uri(), request.headers(), needs_origin)
}

fn status(error: AccessError) -> StatusCode {
    match error {
        AccessError::Host => StatusCode::MISDIRECTED_REQUEST,
        AccessError::Origin => StatusCode::FORBIDDEN,
        AccessError::Token => StatusCode::UNAUTHORIZED,
    }
}

async fn route(shared: &Arc<Shared>, request: Request) -> Response<Body> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/ws") => upgrade(shared, request).await,
        (&Method::POST, "/upload") => uploads::receive(&shared.tabs, request).await,
        (&Method::GET | &Method::HEAD, path) => files::answer(path, request.headers()),
        _ => refuse(StatusCode::METHOD_NOT_ALLOWED, "method not allowed at this path"),
    }
}

async fn upgrade(shared: &Arc<Shared>, request: Request) -> Response<Body> {
    let (mut parts, _) = request.into_parts();
    let Ok(upgrade) = WebSocketUpgrade::from_request_parts(&mut parts, &()).await else {
        return refuse(StatusCode::UPGRADE_REQUIRED, "this path is a WebSocket endpoint");
    };
    let Some(permit) = shared.tabs.open() else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "too many tabs are open");
    };
    upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .read_buffer_size(READ_BUFFER)
        .on_upgrade(move |socket| socket::run(socket, permit))
}

/// An error response: a status and one line of text.
pub fn refuse(status: StatusCode, text: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(format!("{text}\n")));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

fn set_security_headers(headers: &mut HeaderMap) {
    for (name, value) in SECURITY_HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}
