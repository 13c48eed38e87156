//! What secure connections rest on: whom this client trusts, and who it says it is.
//!
//! Who gives no file of authorities trusts the system's, which `SSL_CERT_FILE` and `SSL_CERT_DIR`
//! may say. A container without any needs a file; none are built in, because they would grow old
//! in a program that does not.
//!
//! **Invariant:** one provider of cryptography, named here and never looked up. A key is never
//! printed, and what files hold is read anew for each connection, so that they can be renewed.

mod mistake;
mod problem;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

pub use mistake::{TlsMistake, TlsPart};
pub use problem::TlsProblem;

use crate::endpoint::Endpoint;

/// The one protocol that is spoken over a secure connection.
pub(crate) const HTTP2: &[u8] = b"h2";

/// How servers behind `https://` are known, and what this client shows of itself. The usual choice
/// trusts the system's authorities, expects the name in the endpoint, and shows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// A file with the authorities that are trusted instead of the system's, in PEM.
    pub ca_file: Option<PathBuf>,
    /// The name that a server's certificate must be for, instead of the endpoint's host.
    pub server_name: Option<String>,
    /// What is shown to servers that ask who is calling.
    pub identity: Option<IdentityFiles>,
}

/// Files that say who is calling. The key is read and never shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityFiles {
    /// The certificate and those between it and its authority, in PEM.
    pub certificate: PathBuf,
    /// Its private key, in PEM.
    pub key: PathBuf,
}

impl TlsSettings {
    /// Everything that is wrong with the settings for these servers; files are read.
    #[must_use]
    pub fn mistakes(&self, endpoints: &[Endpoint]) -> Vec<TlsMistake> {
        let mut secure = endpoints.iter().filter(|endpoint| endpoint.is_secure()).peekable();
        if secure.peek().is_none() {
            return self.parts().map(|part| TlsMistake::NotUsed { part }).collect();
        }
        let roots = self.roots().err();
        let names = secure.filter_map(|endpoint| self.name_of(endpoint.host()).err());
        let identity = match &self.identity {
            Some(files) => files.mistakes(),
            None => Vec::new(),
        };
        // A name that stands for all is wrong once.
        let name = names.take(if self.server_name.is_some() { 1 } else { usize::MAX });
        roots.into_iter().chain(name).chain(identity).collect()
    }

    /// The parts that are set.
    fn parts(&self) -> impl Iterator<Item = TlsPart> {
        let identity = self.identity.is_some();
        let set = [
            (TlsPart::Authorities, self.ca_file.is_some()),
            (TlsPart::ServerName, self.server_name.is_some()),
            (TlsPart::Certificate, identity),
            (TlsPart::Key, identity),
        ];
        set.into_iter().filter(|(_, is_set)| *is_set).map(|(part, _)| part)
    }

    fn name_of(&self, host: &str) -> Result<ServerName<'static>, TlsMistake> {
        let name = self.server_name.as_deref().unwrap_or(host);
        let read = ServerName::try_from(name.to_owned());
        read.map_err(|_| TlsMistake::Name { name: name.to_owned() })
    }

    fn roots(&self) -> Result<RootCertStore, TlsMistake> {
        let mut roots = RootCertStore::empty();
        match &self.ca_file {
            Some(file) => {
                for certificate in certificates(file, TlsPart::Authorities)? {
                    roots
                        .add(certificate)
                        .map_err(|_| TlsMistake::NotAnAuthority { file: file.clone() })?;
                }
            }
            None => {
                let _ =
                    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        match roots.is_empty() {
            true => Err(TlsMistake::NoAuthorities),
            false => Ok(roots),
        }
    }

    fn config(&self, roots: RootCertStore) -> Result<ClientConfig, TlsMistake> {
        let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_| TlsMistake::NoProtocol)?
            .with_root_certificates(roots);
        let mut config = match &self.identity {
            None => builder.with_no_client_auth(),
            Some(files) => {
                let (chain, key) = files.read()?;
                let with_key = builder.with_client_auth_cert(chain, key);
                with_key.map_err(|_| files.mismatch())?
            }
        };
        config.alpn_protocols = vec![HTTP2.to_vec()];
        Ok(config)
    }
}

impl IdentityFiles {
    fn mistakes(&self) -> Vec<TlsMistake> {
        let chain = certificates(&self.certificate, TlsPart::Certificate);
        let key = private_key(&self.key);
        match (chain, key) {
            (Ok(chain), Ok(key)) => {
                let made = CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider());
                made.err().map(|_| self.mismatch()).into_iter().collect()
            }
            (chain, key) => chain.err().into_iter().chain(key.err()).collect(),
        }
    }

    fn read(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), TlsMistake> {
        let chain = certificates(&self.certificate, TlsPart::Certificate)?;
        Ok((chain, private_key(&self.key)?))
    }

    fn mismatch(&self) -> TlsMistake {
        TlsMistake::OtherKey { certificate: self.certificate.clone(), key: self.key.clone() }
    }
}

fn certificates(file: &Path, part: TlsPart) -> Result<Vec<CertificateDer<'static>>, TlsMistake> {
    let text = read(file, part)?;
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match read {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) | Err(_) => Err(TlsMistake::NoCertificate { part, file: file.to_owned() }),
    }
}

fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, TlsMistake> {
    let text = read(file, TlsPart::Key)?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|_| TlsMistake::NoKey { file: file.to_owned() })
}

fn read(file: &Path, part: TlsPart) -> Result<Vec<u8>, TlsMistake> {
    let unreadable = |error: std::io::Error| TlsMistake::Unreadable {
        part,
        file: file.to_owned(),
        kind: error.kind(),
    };
    fs::read(file).map_err(unreadable)
}

/// What the connections of one pool are made secure with.
pub(crate) struct Tls {
    settings: TlsSettings,
    /// The system's authorities, which are many and are read once.
    system: OnceLock<RootCertStore>,
    /// What was read last without a mistake.
    last: Mutex<Option<Arc<ClientConfig>>>,
}

impl Tls {
    pub(crate) fn new(settings: TlsSettings) -> Tls {
        Tls { settings, system: OnceLock::new(), last: Mutex::new(None) }
    }

    pub(crate) fn name_of(&self, host: &str) -> Result<ServerName<'static>, TlsMistake> {
        self.settings.name_of(host)
    }

    /// What to connect with now. Files that are being replaced leave what was read before.
    pub(crate) async fn config(self: &Arc<Tls>) -> Result<Arc<ClientConfig>, TlsMistake> {
        let tls = Arc::clone(self);
        // Files may be slow; whoever waits for them holds no thread of the runtime.
        let read = tokio::task::spawn_blocking(move || tls.load()).await;
        let read = read.unwrap_or(Err(TlsMistake::NoProtocol));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match (read, last.as_ref()) {
            (Ok(config), _) => {
                let config = Arc::new(config);
                *last = Some(Arc::clone(&config));
                Ok(config)
            }
            (Err(_), Some(before)) => Ok(Arc::clone(before)),
            (Err(mistake), None) => Err(mistake),
        }
    }

    fn load(&self) -> Result<ClientConfig, TlsMistake> {
        let roots = match (&self.settings.ca_file, self.system.get()) {
            (None, Some(roots)) => roots.clone(),
            (None, None) => {
                let roots = self.settings.roots()?;
                self.system.get_or_init(|| roots).clone()
            }
            (Some(_), _) => self.settings.roots()?,
        };
        self.settings.config(roots)
    }
}

/// The library's error inside one of the system's, if that is what it is.
pub(crate) fn inner(error: &std::io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}
