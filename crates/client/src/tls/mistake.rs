//! What can be wrong with settings and files before anything is connected to.
//!
//! **Invariant:** a mistake names the file or the name, says what would be right, and shows nothing
//! of what a file holds.

use std::io;
use std::path::PathBuf;

/// A part of the settings, so that whoever took it from a flag can name the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsPart {
    /// The file of trusted authorities.
    Authorities,
    /// The name that servers must have.
    ServerName,
    /// The client's certificate.
    Certificate,
    /// The client's key.
    Key,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsMistake {
    /// Something is set that no server needs.
    #[error("is for servers that begin with https://, and none does")]
    NotUsed {
        /// What is set.
        part: TlsPart,
    },
    /// A file cannot be read.
    #[error("{} cannot be read ({kind})", file.display())]
    Unreadable {
        /// What it is to hold.
        part: TlsPart,
        /// The file.
        file: PathBuf,
        /// Why.
        kind: io::ErrorKind,
    },
    /// A file has no certificate, or a broken one.
    #[error("{} must hold certificates in PEM, which begin with BEGIN CERTIFICATE", file.display())]
    NoCertificate {
        /// What it is to hold.
        part: TlsPart,
        /// The file.
        file: PathBuf,
    },
    /// A file has a certificate that cannot be trusted to sign others.
    #[error("{} holds a certificate that cannot be read as an authority's", file.display())]
    NotAnAuthority {
        /// The file.
        file: PathBuf,
    },
    /// A file has no private key.
    #[error("{} must hold a private key in PEM, not encrypted", file.display())]
    NoKey {
        /// The file.
        file: PathBuf,
    },
    /// Key and certificate do not belong together.
    #[error("the key in {} does not belong to the certificate in {}", key.display(), certificate.display())]
    OtherKey {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
    },
    /// A name cannot be that of a server.
    #[error("{name:?} is no host name or address that a certificate could be for")]
    Name {
        /// The name.
        name: String,
    },
    /// The system trusts nobody, or its authorities cannot be found.
    #[error("this system has no authorities to trust; name a file of them")]
    NoAuthorities,
    /// The library cannot make secure connections at all.
    #[error("this program cannot make secure connections; please report it")]
    NoProtocol,
}

impl TlsMistake {
    /// The part of the settings to change.
    #[must_use]
    pub const fn part(&self) -> TlsPart {
        match self {
            TlsMistake::NotUsed { part }
            | TlsMistake::Unreadable { part, .. }
            | TlsMistake::NoCertificate { part, .. } => *part,
            TlsMistake::NotAnAuthority { .. }
            | TlsMistake::NoAuthorities
            | TlsMistake::NoProtocol => TlsPart::Authorities,
            TlsMistake::NoKey { .. } | TlsMistake::OtherKey { .. } => TlsPart::Key,
            TlsMistake::Name { .. } => TlsPart::ServerName,
        }
    }
}
