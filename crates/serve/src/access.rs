//! Access control: exact `Host`/`Origin` checks against DNS rebinding, optional token.
//!
//! Any web page can open connections to this machine, and its own name may resolve to 127.0.0.1 (DNS rebinding).
//! Such requests carry that name in `Host` and `Origin`; only the server's own names are accepted.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Uri};

/// Characters of a token, so that it needs no escaping in an address or a cookie.
const TOKEN_LENGTHS: std::ops::RangeInclusive<usize> = 16..=128;

/// Why a request is rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AccessError {
    /// A missing, repeated or foreign `Host`.
    #[error("the Host of the request is not an address of this server")]
    Host,
    /// A missing or foreign `Origin`.
    #[error("cross-origin request: the Origin is not this server")]
    Origin,
    /// A missing or wrong token.
    #[error("a token is required: open the URL printed when the server started")]
    Token,
}

/// A malformed token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a token has 16 to 128 letters, digits, '-', '.', '_' or '~'")]
pub struct InvalidToken;

/// The names of the server and its token.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The host name given by the user, in lower case.
    name: Option<String>,
    token: Option<String>,
}

/// How a request was authenticated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Authentication {
    /// The server has no token.
    Open,
    /// By cookie.
    Cookie,
    /// By query: the response sets the cookie.
    Query,
}

impl Access {
    /// Access by the server's addresses and an optional host name, with an optional token.
    pub fn new(name: Option<&str>, token: Option<&str>) -> Result<Self, InvalidToken> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if token.is_some_and(|token| {
            !TOKEN_LENGTHS.contains(&token.len()) || !token.bytes().all(is_letter)
        }) {
            return Err(InvalidToken);
        }
        Ok(Self { name: name.map(str::to_ascii_lowercase), token: token.map(str::to_owned) })
    }

    /// Checks a request received at the address `local`. `needs_origin`: for requests made only by the page's
    /// scripts, to which browsers add an `Origin`.
    pub fn check(
        &self,
        local: SocketAddr,
        uri: &Uri,
        headers: &HeaderMap,
        needs_origin: bool,
    ) -> Result<Authentication, AccessError> {
        let host = single(headers, &HOST).filter(|host| self.is_ours(host, local));
        let host = host.ok_or(AccessError::Host)?;
        let origin = single(headers, &ORIGIN);
        let is_same = origin.and_then(|origin| origin.strip_prefix("http://")) == Some(host);
        if !is_same && (needs_origin || headers.contains_key(ORIGIN)) {
            return Err(AccessError::Origin);
        }
        self.authenticate(local.port(), uri, headers)
    }

    /// Whether a `Host` names the server at this address.
    fn is_ours(&self, host: &str, local: SocketAddr) -> bool {
        let (ip, port) = (local.ip().to_canonical(), local.port());
        // Browsers leave out the port of the protocol.
        let name = match host.strip_suffix(&format!(":{port}")) {
            Some(name) => name,
            None if port == 80 => host,
            None => return false,
        };
        let address = match ip {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        name == address
            || (ip.is_loopback() && name == "localhost")
            || self.name.as_deref() == Some(name)
    }

    fn authenticate(
        &self,
        port: u16,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Authentication, AccessError> {
        let Some(token) = &self.token else { return Ok(Authentication::Open) };
        let name = cookie_name(port);
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let cookies = cookies.flat_map(|value| value.split(';'));
        let in_cookie = cookies
            .filter_map(|cookie| cookie.trim().split_once('='))
            .any(|(key, value)| key == name && is_equal(value, token));
        if in_cookie {
            return Ok(Authentication::Cookie);
        }
        match query_value(uri, "token") {
            Some(value) if is_equal(value, token) => Ok(Authentication::Query),
            _ => Err(AccessError::Token),
        }
    }

    /// The `Set-Cookie` value that carries the token to later requests of the page.
    pub fn cookie(&self, port: u16) -> Option<String> {
        let token = self.token.as_ref()?;
        Some(format!("{}={token}; Path=/; HttpOnly; SameSite=Strict", cookie_name(port)))
    }
}

/// Cookies are not port-specific, so the name contains the port.
fn cookie_name(port: u16) -> String {
    format!("tabiya-{port}")
}

/// The value of a header that occurs exactly once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

/// A query parameter. No percent-decoding: tokens and numbers contain no reserved characters.
pub fn query_value<'a>(uri: &'a Uri, key: &str) -> Option<&'a str> {
    let pairs = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find_map(|(name, value)| (name == key).then_some(value))
}

/// Constant-time comparison: the time depends on the length of the given text alone.
fn is_equal(given: &str, token: &str) -> bool {
    let token = token.as_bytes();
    let mut difference = usize::from(given.len() != token.len());
    for (n, byte) in given.bytes().enumerate() {
        difference |= usize::from(byte ^ token[n % token.len()]);
    }
    difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn local() -> SocketAddr {
        "127.0.0.1:8000".parse().unwrap()
    }

    fn check(
        access: &Access,
        pairs: &[(&'static str, &str)],
        ws: bool,
    ) -> Result<Authentication, AccessError> {
        access.check(local(), &Uri::from_static("/"), &headers(pairs), ws)
    }

    #[test]
    fn only_the_names_of_the_server_are_accepted_as_host() {
        let access = Access::default();
        for host in ["127.0.0.1:8000", "localhost:8000"] {
            assert_eq!(
                check(&access, &[("host", host)], false),
                Ok(Authentication::Open),
                "{host}"
            );
        }
        for host in [
            "",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:80000",
            "127.0.0.1:8000.evil.example",
            "127.0.0.1.evil.example:8000",
            "evil.example:8000",
            "localhost.:8000",
            "LOCALHOST:8000",
            "[::1]:8000",
            "user@127.0.0.1:8000",
            "127.1:8000",
            "0:8000",
        ] {
            assert_eq!(check(&access, &[("host", host)], false), Err(AccessError::Host), "{host}");
        }
        assert_eq!(check(&access, &[], false), Err(AccessError::Host));
        let twice = [("host", "127.0.0.1:8000"), ("host", "127.0.0.1:8000")];
        assert_eq!(check(&access, &twice, false), Err(AccessError::Host));
        let named = Access::new(Some("Chess.Example"), None).unwrap();
        assert_eq!(
            check(&named, &[("host", "chess.example:8000")], false),
            Ok(Authentication::Open)
        );
    }

    #[test]
    fn the_address_of_the_connection_is_the_one_compared() {
        let access = Access::default();
        let request = |local: &str, host: &str| {
            let headers = headers(&[("host", host)]);
            access.check(local.parse().unwrap(), &Uri::from_static("/"), &headers, false).is_ok()
        };
        assert!(request("[::1]:8000", "[::1]:8000") && request("[::1]:8000", "localhost:8000"));
        assert!(request("192.0.2.7:80", "192.0.2.7") && request("192.0.2.7:80", "192.0.2.7:80"));
        assert!(request("[::ffff:192.0.2.7]:8000", "192.0.2.7:8000"));
        assert!(!request("192.0.2.7:8000", "localhost:8000"));
        assert!(!request("192.0.2.7:8000", "127.0.0.1:8000"));
    }

    #[test]
    fn an_origin_must_be_the_page_and_a_socket_must_have_one() {
        let access = Access::default();
        let host = ("host", "localhost:8000");
        assert_eq!(check(&access, &[host], true), Err(AccessError::Origin));
        let ours = [host, ("origin", "http://localhost:8000")];
        assert_eq!(check(&access, &ours, true), Ok(Authentication::Open));
        for origin in [
            "null",
            "http://127.0.0.1:8000",
            "https://localhost:8000",
            "http://localhost",
            "http://localhost:8000/",
            "http://localhost:8000.evil.example",
            "http://evil.example",
            "http://localhost:80000",
        ] {
            for ws in [false, true] {
                let given = [host, ("origin", origin)];
                assert_eq!(check(&access, &given, ws), Err(AccessError::Origin), "{origin}");
            }
        }
    }

    #[test]
    fn a_token_is_accepted_from_the_query_or_the_cookie() {
        let access = Access::new(None, Some(TOKEN)).unwrap();
        let request = |uri: &str, cookie: &str| {
            let headers = headers(&[("host", "localhost:8000"), ("cookie", cookie)]);
            access.check(local(), &uri.parse().unwrap(), &headers, false)
        };
        assert_eq!(request("/?token=0123456789abcdef", ""), Ok(Authentication::Query));
        assert_eq!(request("/?a=b&token=0123456789abcdef&c", ""), Ok(Authentication::Query));
        assert_eq!(
            request("/", "other=1; tabiya-8000=0123456789abcdef"),
            Ok(Authentication::Cookie)
        );
        for (uri, cookie) in [
            ("/", ""),
            ("/?token=", ""),
            ("/?token=0123456789abcde", ""),
            ("/?token=0123456789abcdef0", ""),
            ("/?token=0123456789abcdef0123456789abcdef", ""),
            ("/?token=0123456789abcdeX", ""),
            ("/?atoken=0123456789abcdef", ""),
            ("/", "tabiya-8001=0123456789abcdef"),
            ("/", "tabiya-8000=0123456789ABCDEF"),
        ] {
            assert_eq!(request(uri, cookie), Err(AccessError::Token), "{uri} {cookie}");
        }
        let cookie = access.cookie(8000).unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
        for bad in ["", "short", "0123456789abcde;", "0123456789abcd f", &"x".repeat(129)] {
            assert!(Access::new(None, Some(bad)).is_err(), "{bad}");
        }
    }
}
