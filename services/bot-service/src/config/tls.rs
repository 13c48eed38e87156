//! How servers behind `https://` are known, from the configuration.
//!
//! **Invariant:** the files are read once to see what is wrong with them. What is set for no server
//! that begins with `https://` is a mistake, unless it is not known what servers there are.

use std::path::PathBuf;

use handfoot_client::{Endpoint, IdentityFiles, TlsMistake, TlsPart, TlsSettings};
use handfoot_config::{Source, Variable};

use super::variables as v;

/// Reads them. `endpoints` is none if servers cannot be read.
pub(super) fn read(source: &mut Source<'_>, endpoints: Option<&[Endpoint]>) -> TlsSettings {
    let path = |source: &mut Source<'_>, variable| source.text(variable).map(PathBuf::from);
    let certificate = path(source, &v::CLIENT_CERTIFICATE_FILE);
    let identity = match (certificate, path(source, &v::CLIENT_KEY_FILE)) {
        (Some(certificate), Some(key)) => Some(IdentityFiles { certificate, key }),
        (Some(_), None) => {
            let with = v::CLIENT_CERTIFICATE_FILE.name;
            source.wrong(&v::CLIENT_KEY_FILE, format_args!("must be set with {with}"));
            None
        }
        (None, Some(_)) => {
            let with = v::CLIENT_KEY_FILE.name;
            source.wrong(&v::CLIENT_CERTIFICATE_FILE, format_args!("must be set with {with}"));
            None
        }
        (None, None) => None,
    };
    let ca_file = path(source, &v::CA_FILE);
    let server_name = source.text(&v::SERVER_NAME);
    let tls = TlsSettings { ca_file, server_name, identity };
    for mistake in tls.mistakes(endpoints.unwrap_or_default()) {
        let is_doubtful = matches!(mistake, TlsMistake::NotUsed { .. }) && endpoints.is_none();
        if !is_doubtful {
            source.wrong(variable_of(mistake.part()), mistake);
        }
    }
    tls
}

/// The variable from which a part of the settings for TLS comes.
const fn variable_of(part: TlsPart) -> &'static Variable {
    match part {
        TlsPart::Authorities => &v::CA_FILE,
        TlsPart::ServerName => &v::SERVER_NAME,
        TlsPart::Certificate => &v::CLIENT_CERTIFICATE_FILE,
        TlsPart::Key => &v::CLIENT_KEY_FILE,
    }
}
