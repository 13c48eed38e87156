//! Where servers are, as people write it.
//!
//! **Invariant:** what is parsed can be dialled; nothing is looked up here.

use std::fmt;
use std::str::FromStr;

/// The port that is meant where none is written, without TLS.
pub const DEFAULT_PORT: u16 = 50051;

/// The port that is meant after `https://` where none is written: that of gateways.
pub const DEFAULT_TLS_PORT: u16 = 443;

/// A host by name or address, a port, and whether TLS is spoken there. A name may stand for many
/// servers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Endpoint {
    scheme: Scheme,
    host: String,
    port: u16,
}

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scheme {
    Http,
    Https,
}

/// Why a text is no endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointProblem {
    /// It has no host.
    #[error("has no host; write http://HOST:PORT or https://HOST:PORT")]
    NoHost,
    /// It asks for something else than HTTP.
    #[error("must begin with http:// or, for TLS, with https://")]
    Scheme,
    /// Its port is no number from 1 to 65535.
    #[error("the port must be 1 to 65535")]
    Port,
    /// It has more than a host and a port.
    #[error("must be http://HOST:PORT or https://HOST:PORT and nothing after it")]
    Trailing,
}

impl Endpoint {
    /// The host, by name or address; an IPv6 address without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Whether it is spoken to over TLS.
    #[must_use]
    pub const fn is_secure(&self) -> bool {
        match self.scheme {
            Scheme::Http => false,
            Scheme::Https => true,
        }
    }
}

impl Scheme {
    const fn default_port(self) -> u16 {
        match self {
            Scheme::Http => DEFAULT_PORT,
            Scheme::Https => DEFAULT_TLS_PORT,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }
}

impl FromStr for Endpoint {
    type Err = EndpointProblem;

    fn from_str(text: &str) -> Result<Endpoint, EndpointProblem> {
        let (scheme, rest) = match text.split_once("://") {
            Some(("http", rest)) => (Scheme::Http, rest),
            Some(("https", rest)) => (Scheme::Https, rest),
            Some(_) => return Err(EndpointProblem::Scheme),
            None => (Scheme::Http, text),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '/' | '?' | '#' | '@');
        if !rest.chars().all(is_plain) {
            return Err(EndpointProblem::Trailing);
        }
        let authority: http::uri::Authority = rest.parse().map_err(|_| EndpointProblem::NoHost)?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err(EndpointProblem::NoHost);
        }
        let port = match rest[authority.host().len()..].strip_prefix(':') {
            None => scheme.default_port(),
            Some(port) => port.parse().map_err(|_| EndpointProblem::Port)?,
        };
        match port {
            0 => Err(EndpointProblem::Port),
            1.. => Ok(Endpoint { scheme, host: host.to_owned(), port }),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, host, port) = (self.scheme.name(), &self.host, self.port);
        match host.contains(':') {
            true => write!(f, "{scheme}://[{host}]:{port}"),
            false => write!(f, "{scheme}://{host}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_read_as_they_are_written() {
        for (text, shown) in [
            ("http://games:9", "http://games:9"),
            ("games", "http://games:50051"),
            ("127.0.0.1:80/", "http://127.0.0.1:80"),
            ("http://[::1]:7", "http://[::1]:7"),
            ("https://games", "https://games:443"),
            ("https://[::1]:7/", "https://[::1]:7"),
        ] {
            assert_eq!(text.parse::<Endpoint>().map(|e| e.to_string()), Ok(shown.to_owned()));
        }
    }

    #[test]
    fn what_is_wrong_with_an_endpoint_is_said() {
        for (text, problem) in [
            ("ftp://games", EndpointProblem::Scheme),
            ("https://", EndpointProblem::NoHost),
            ("http://", EndpointProblem::NoHost),
            ("games:0", EndpointProblem::Port),
            ("games:99999", EndpointProblem::Port),
            ("games/path", EndpointProblem::Trailing),
        ] {
            assert_eq!(text.parse::<Endpoint>(), Err(problem), "{text}");
        }
    }
}
