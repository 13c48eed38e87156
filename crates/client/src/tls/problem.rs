//! Why no secure connection came about, or why a connection is not what the endpoint says.
//!
//! **Invariant:** each says what is wrong and, after a semicolon, what to do. What a server wrote
//! into its certificate is shown in visible ASCII only, and not much of it.

use std::io;

use tokio_rustls::rustls::{AlertDescription, CertificateError, Error, InvalidMessage};

use super::{TlsMistake, inner};

/// The most names of a certificate that are shown.
const NAMES_MAX: usize = 5;

/// The most characters of a name that are shown.
const NAME_CHARACTERS_MAX: usize = 80;

/// What stands between this client and a server that it reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TlsProblem {
    /// No authority that is trusted here has signed the certificate.
    Untrusted,
    /// The certificate has run out.
    Expired,
    /// The certificate does not hold yet.
    NotYetValid,
    /// The certificate is for others.
    OtherName {
        /// The name that was expected.
        expected: String,
        /// The names in the certificate, at most five.
        presented: String,
    },
    /// The certificate is bad in some other way.
    BadCertificate {
        /// In which.
        what: String,
    },
    /// `https://` is written, and the server speaks without TLS.
    Plaintext,
    /// `http://` is written, and the server speaks TLS only.
    SecureOnly,
    /// The server speaks HTTP, and not the version that gRPC needs.
    NotHttp2,
    /// The server wants to know who is calling.
    CertificateWanted,
    /// The server does not accept who is calling.
    CertificateRefused,
    /// Server and client have no version or method in common.
    Incompatible,
    /// The server ended the connection before it was secure.
    Cut,
    /// The server did not go on in time.
    Slow,
    /// The files for secure connections cannot be used.
    Settings(TlsMistake),
    /// Something else.
    Other {
        /// What.
        what: String,
    },
}

impl std::fmt::Display for TlsProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {}", self.what(), self.remedy())
    }
}

impl std::error::Error for TlsProblem {}

impl TlsProblem {
    /// What is wrong, in one line.
    #[must_use]
    pub fn what(&self) -> String {
        let text = match self {
            TlsProblem::Untrusted => {
                "the server's certificate is signed by no authority that is trusted here"
            }
            TlsProblem::Expired => "the server's certificate has expired",
            TlsProblem::NotYetValid => "the server's certificate does not hold yet",
            TlsProblem::OtherName { expected, presented } => {
                return format!(
                    "the server's certificate is not for {expected} but for {presented}"
                );
            }
            TlsProblem::BadCertificate { what } => {
                return format!("the server's certificate cannot be used ({what})");
            }
            TlsProblem::Plaintext => "the server does not speak TLS there",
            TlsProblem::SecureOnly => "the server speaks TLS there",
            TlsProblem::NotHttp2 => "the server does not speak HTTP/2 there",
            TlsProblem::CertificateWanted => "the server asks for a client certificate",
            TlsProblem::CertificateRefused => {
                "the server does not accept this client's certificate"
            }
            TlsProblem::Incompatible => {
                "the server has no version of TLS in common with this client"
            }
            TlsProblem::Cut => "the server ended the connection before it was secure",
            TlsProblem::Slow => "the server did not make the connection secure in time",
            TlsProblem::Settings(mistake) => {
                return format!("no secure connection can be made: {mistake}");
            }
            TlsProblem::Other { what } => {
                return format!("no secure connection came about ({what})");
            }
        };
        text.to_owned()
    }

    /// What to do about it.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            TlsProblem::Untrusted => "give the file of the authority that signed it",
            TlsProblem::Expired => "renew it there, or set the clock here",
            TlsProblem::NotYetValid => "set the clocks of both machines",
            TlsProblem::OtherName { .. } => {
                "use one of those names, as the server's name or in the URL"
            }
            TlsProblem::BadCertificate { .. } => "give the server another",
            TlsProblem::Plaintext => "write http://, or the port that speaks it",
            TlsProblem::SecureOnly => "write https://",
            TlsProblem::NotHttp2 => "check the port, and what stands before it",
            TlsProblem::CertificateWanted => "give one, and its key",
            TlsProblem::CertificateRefused => "give one that it trusts",
            TlsProblem::Incompatible => "it must offer 1.2 or 1.3",
            TlsProblem::Cut => "if it speaks without TLS, write http://",
            TlsProblem::Slow => "try again, or another server",
            TlsProblem::Settings(_) => "change the settings for TLS",
            TlsProblem::Other { .. } => "look into the server's log",
        }
    }

    /// Whether it may pass by itself in a moment, as when a server ends.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        match self {
            TlsProblem::Cut | TlsProblem::Slow => true,
            TlsProblem::Untrusted
            | TlsProblem::Expired
            | TlsProblem::NotYetValid
            | TlsProblem::OtherName { .. }
            | TlsProblem::BadCertificate { .. }
            | TlsProblem::Plaintext
            | TlsProblem::SecureOnly
            | TlsProblem::NotHttp2
            | TlsProblem::CertificateWanted
            | TlsProblem::CertificateRefused
            | TlsProblem::Incompatible
            | TlsProblem::Settings(_)
            | TlsProblem::Other { .. } => false,
        }
    }

    /// A word for logs and metrics.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            TlsProblem::Untrusted => "TLS_UNTRUSTED",
            TlsProblem::Expired => "TLS_EXPIRED",
            TlsProblem::NotYetValid => "TLS_NOT_YET_VALID",
            TlsProblem::OtherName { .. } => "TLS_OTHER_NAME",
            TlsProblem::BadCertificate { .. } => "TLS_BAD_CERTIFICATE",
            TlsProblem::Plaintext => "TLS_PLAINTEXT",
            TlsProblem::SecureOnly => "TLS_SECURE_ONLY",
            TlsProblem::NotHttp2 => "TLS_NOT_HTTP2",
            TlsProblem::CertificateWanted => "TLS_CERTIFICATE_WANTED",
            TlsProblem::CertificateRefused => "TLS_CERTIFICATE_REFUSED",
            TlsProblem::Incompatible => "TLS_INCOMPATIBLE",
            TlsProblem::Cut => "TLS_CUT",
            TlsProblem::Slow => "TLS_SLOW",
            TlsProblem::Settings(_) => "TLS_SETTINGS",
            TlsProblem::Other { .. } => "TLS_OTHER",
        }
    }

    /// What ended a handshake.
    pub(crate) fn of_handshake(error: &io::Error) -> TlsProblem {
        inner(error).map_or(TlsProblem::Cut, TlsProblem::of)
    }

    /// What ended a connection that was secure, if TLS did.
    pub(crate) fn of_connection(error: &io::Error) -> Option<TlsProblem> {
        inner(error).map(TlsProblem::of)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the library's own, and it grows")]
    fn of(error: &Error) -> TlsProblem {
        if let Error::InvalidCertificate(error) = error {
            return TlsProblem::of_certificate(error);
        }
        match error {
            Error::InvalidMessage(InvalidMessage::InvalidContentType) => TlsProblem::Plaintext,
            Error::AlertReceived(alert) => TlsProblem::of_alert(*alert),
            Error::NoApplicationProtocol => TlsProblem::NotHttp2,
            Error::PeerIncompatible(_) => TlsProblem::Incompatible,
            other => TlsProblem::Other { what: visible(&other.to_string()) },
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the library's own, and it grows")]
    fn of_certificate(error: &CertificateError) -> TlsProblem {
        match error {
            CertificateError::UnknownIssuer => TlsProblem::Untrusted,
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                TlsProblem::Expired
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                TlsProblem::NotYetValid
            }
            CertificateError::NotValidForNameContext { expected, presented } => {
                let expected = visible(&expected.to_str());
                TlsProblem::OtherName { expected, presented: names(presented) }
            }
            other => TlsProblem::BadCertificate { what: visible(&other.to_string()) },
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the library's own, and it grows")]
    fn of_alert(alert: AlertDescription) -> TlsProblem {
        match alert {
            AlertDescription::CertificateRequired => TlsProblem::CertificateWanted,
            AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::AccessDenied
            | AlertDescription::DecryptError => TlsProblem::CertificateRefused,
            AlertDescription::NoApplicationProtocol => TlsProblem::NotHttp2,
            AlertDescription::ProtocolVersion
            | AlertDescription::InsufficientSecurity
            | AlertDescription::HandshakeFailure => TlsProblem::Incompatible,
            other => TlsProblem::Other { what: format!("the server sent {other:?}") },
        }
    }
}

/// The names of a certificate, as people write them.
fn names(presented: &[String]) -> String {
    let plain = |name: &String| {
        let quoted = name.split('"').nth(1);
        let bracketed = || Some(name.split_once('(')?.1.trim_end_matches(')'));
        visible(quoted.or_else(bracketed).unwrap_or(name))
    };
    let mut shown: Vec<String> = presented.iter().take(NAMES_MAX).map(plain).collect();
    if presented.len() > NAMES_MAX {
        shown.push("others".to_owned());
    }
    if shown.is_empty() {
        shown.push("no name at all".to_owned());
    }
    shown.join(", ")
}

/// A text that others wrote, fit to be printed.
fn visible(text: &str) -> String {
    let shown = |c: char| if c == ' ' || c.is_ascii_graphic() { c } else { '?' };
    text.chars().take(NAME_CHARACTERS_MAX).map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands in a certificate does not cut the message.
    #[test]
    fn a_problem_says_what_is_wrong_and_then_what_to_do() {
        let bad = TlsProblem::BadCertificate { what: "version 1; too old".to_owned() };
        assert_eq!(bad.what(), "the server's certificate cannot be used (version 1; too old)");
        assert_eq!(bad.to_string(), format!("{}; give the server another", bad.what()));
    }

    #[test]
    fn names_are_shown_as_people_write_them() {
        let names =
            |list: &[&str]| names(&list.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&["DnsName(\"a.b\")", "IpAddress(192.0.2.1)"]), "a.b, 192.0.2.1");
        assert_eq!(names(&[]), "no name at all");
        assert_eq!(names(&["x"; 9]), "x, x, x, x, x, others");
        assert_eq!(names(&["a\n\u{1b}[1mb"]), "a??[1mb");
    }
}
