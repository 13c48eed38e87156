//! Secure connections, from the command line to what to say when there is none.
//!
//! **Invariant:** whatever is wrong is said with the flag that mends it.

use handfoot_client::{Endpoint, IdentityFiles, TlsMistake, TlsPart, TlsProblem, TlsSettings};

use crate::cli::TlsChoice;
use crate::exit::{Exit, Stop, failed};

/// The settings that were chosen, with every file read once.
pub(crate) fn settings(choice: &TlsChoice, endpoints: &[Endpoint]) -> Result<TlsSettings, Stop> {
    let files = (choice.client_certificate_file.clone(), choice.client_key_file.clone());
    let identity = match files {
        (Some(certificate), Some(key)) => Some(IdentityFiles { certificate, key }),
        // The command line has asked for both or none.
        (Some(_), None) | (None, Some(_)) | (None, None) => None,
    };
    let (ca_file, server_name) = (choice.ca_file.clone(), choice.server_name.clone());
    let settings = TlsSettings { ca_file, server_name, identity };
    let mistakes = settings.mistakes(endpoints);
    let Some(first) = mistakes.first() else { return Ok(settings) };
    let told: Vec<String> =
        mistakes.iter().map(|mistake| format!("{}: {mistake}", flag_of(mistake.part()))).collect();
    let next = match first {
        TlsMistake::NotUsed { .. } => "https:// in --connect, or without that flag",
        TlsMistake::NoAuthorities => "--ca-file with the file of an authority",
        TlsMistake::Unreadable { .. }
        | TlsMistake::NoCertificate { .. }
        | TlsMistake::NotAnAuthority { .. }
        | TlsMistake::NoKey { .. }
        | TlsMistake::OtherKey { .. } => "another file",
        TlsMistake::Name { .. } => "--server-name with a name that is in the certificate",
        TlsMistake::NoProtocol => "to report it",
    };
    Err(failed(exit_of(first), told.join("; "), next))
}

/// What is said where a server was reached and no secure connection came about.
pub(crate) fn failed_with(doing: &str, problem: &TlsProblem) -> Stop {
    let next = match problem {
        TlsProblem::Untrusted => "--ca-file with the file of the authority that signed it",
        TlsProblem::OtherName { .. } => "--server-name with one of those names",
        TlsProblem::Plaintext => "http:// in --connect, or the port that speaks TLS",
        TlsProblem::SecureOnly => "https:// in --connect",
        TlsProblem::CertificateWanted | TlsProblem::CertificateRefused => {
            "--client-certificate-file and --client-key-file with what it trusts"
        }
        TlsProblem::Settings(mistake) => flag_of(mistake.part()),
        TlsProblem::Expired
        | TlsProblem::NotYetValid
        | TlsProblem::BadCertificate { .. }
        | TlsProblem::NotHttp2
        | TlsProblem::Incompatible
        | TlsProblem::Cut
        | TlsProblem::Slow
        | TlsProblem::Other { .. } => problem.remedy(),
    };
    failed(Exit::Unavailable, format!("{doing}: {}", problem.what()), next)
}

const fn exit_of(mistake: &TlsMistake) -> Exit {
    match mistake {
        TlsMistake::Unreadable { .. } => Exit::NoInput,
        TlsMistake::NoCertificate { .. }
        | TlsMistake::NotAnAuthority { .. }
        | TlsMistake::NoKey { .. }
        | TlsMistake::OtherKey { .. } => Exit::BadInput,
        TlsMistake::NotUsed { .. } | TlsMistake::Name { .. } | TlsMistake::NoAuthorities => {
            Exit::Usage
        }
        TlsMistake::NoProtocol => Exit::Internal,
    }
}

const fn flag_of(part: TlsPart) -> &'static str {
    match part {
        TlsPart::Authorities => "--ca-file",
        TlsPart::ServerName => "--server-name",
        TlsPart::Certificate => "--client-certificate-file",
        TlsPart::Key => "--client-key-file",
    }
}
