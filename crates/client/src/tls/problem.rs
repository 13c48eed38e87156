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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsProblem {
    /// No authority that is trusted here has signed the certificate.
    #[error(
        "the server's certificate is signed by no authority that is trusted here; \
         give the file of the authority that signed it"
    )]
    Untrusted,
    /// The certificate has run out.
    #[error("the server's certificate has expired; renew it there, or set the clock here")]
    Expired,
    /// The certificate does not hold yet.
    #[error("the server's certificate does not hold yet; set the clocks of both machines")]
    NotYetValid,
    /// The certificate is for others.
    #[error(
        "the server's certificate is not for {expected} but for {presented}; \
         use one of those names, as the server's name or in the URL"
    )]
    OtherName {
        /// The name that was expected.
        expected: String,
        /// The names in the certificate, at most five.
        presented: String,
    },
    /// The certificate is bad in some other way.
    #[error("the server's certificate cannot be used ({what}); give the server another")]
    BadCertificate {
        /// In which.
        what: String,
    },
    /// `https://` is written, and the server speaks without TLS.
    #[error("the server does not speak TLS there; write http://, or the port that speaks it")]
    Plaintext,
    /// `http://` is written, and the server speaks TLS only.
    #[error("the server speaks TLS there; write https://")]
    SecureOnly,
    /// The server speaks HTTP, and not the version that gRPC needs.
    #[error("the server does not speak HTTP/2 there; check the port, and what stands before it")]
    NotHttp2,
    /// The server wants to know who is calling.
    #[error("the server asks for a client certificate; give one, and its key")]
    CertificateWanted,
    /// The server does not accept who is calling.
    #[error("the server does not accept this client's certificate; give one that it trusts")]
    CertificateRefused,
    /// Server and client have no version or method in common.
    #[error(
        "the server has no version of TLS in common with this client; it must offer 1.2 or 1.3"
    )]
    Incompatible,
    /// The server ended the connection before it was secure.
    #[error(
        "the server ended the connection before it was secure; \
         if it speaks without TLS, write http://"
    )]
    Cut,
    /// The server did not go on in time.
    #[error("the server did not make the connection secure in time; try again, or another server")]
    Slow,
    /// The files for secure connections cannot be used.
    #[error("no secure connection can be made: {0}; change the settings for TLS")]
    Settings(TlsMistake),
    /// Something else.
    #[error("no secure connection came about ({what}); look into the server's log")]
    Other {
        /// What.
        what: String,
    },
}

impl TlsProblem {
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
