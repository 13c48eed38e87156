//! TLS for tests: an authority, what it signs, and a gateway that ends TLS before a server, as the
//! one at the edge of a cluster does.
//!
//! **Invariant:** everything is made for one test and gone with it. Bytes are passed on as they are.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// Whoever signs certificates.
#[derive(Debug)]
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key, in PEM.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The certificate.
    pub certificate: String,
    /// The key.
    pub key: String,
}

/// When a certificate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    /// Now.
    Now,
    /// It did once.
    Past,
    /// It will.
    Future,
}

impl Authority {
    /// A new one with a name.
    ///
    /// # Panics
    ///
    /// If the system gives no chance to make a key from.
    #[must_use]
    pub fn new(name: &str) -> Authority {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key can be made");
        Authority(CertifiedIssuer::self_signed(params, key).expect("it signs itself"))
    }

    /// Its own certificate, in PEM.
    #[must_use]
    pub fn certificate(&self) -> String {
        self.0.pem()
    }

    /// Signs a new key for these names or addresses.
    ///
    /// # Panics
    ///
    /// If one of them cannot be a name.
    #[must_use]
    pub fn sign(&self, names: &[&str], validity: Validity) -> Identity {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("they are names");
        match validity {
            Validity::Now => {}
            Validity::Past => params.not_after = date_time_ymd(2001, 1, 1),
            Validity::Future => params.not_before = date_time_ymd(3001, 1, 1),
        }
        let key = KeyPair::generate().expect("a key can be made");
        let certificate = params.signed_by(&key, &self.0).expect("it signs");
        Identity { certificate: certificate.pem(), key: key.serialize_pem() }
    }

    fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).expect("it is an authority");
        roots
    }
}

/// How a gateway behaves.
#[derive(Debug)]
pub struct Front<'a> {
    /// What it shows of itself.
    pub identity: &'a Identity,
    /// Whose clients it lets in; none: all, without a certificate.
    pub clients: Option<&'a Authority>,
    /// The protocols that it offers.
    pub protocols: &'a [&'a str],
}

/// A gateway with a thread of its own, which ends with it.
#[derive(Debug)]
pub struct Gateway {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Gateway {
    /// Ends TLS before the server at an address.
    ///
    /// # Panics
    ///
    /// If the machine has no port or thread left, or the identity is none.
    #[must_use]
    pub fn start(front: &Front<'_>, behind: SocketAddr) -> Gateway {
        let acceptor = TlsAcceptor::from(Arc::new(front.config()));
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        listener.set_nonblocking(true).expect("it can wait");
        let (stop, stopped) = oneshot::channel::<()>();
        let serve = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).expect("it listens");
                tokio::select! {
                    () = accept(&listener, &acceptor, behind) => {}
                    _ = stopped => {}
                }
            });
        };
        let thread = Some(std::thread::spawn(serve));
        Gateway { address, stop: Some(stop), thread }
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A thread that failed has failed its test already.
            let _ = thread.join();
        }
    }
}

impl Front<'_> {
    fn config(&self) -> ServerConfig {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .expect("the provider has them");
        let builder = match self.clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let roots = Arc::new(authority.roots());
                let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build();
                builder.with_client_cert_verifier(verifier.expect("it has an authority"))
            }
        };
        let certificate = CertificateDer::from_pem_slice(self.identity.certificate.as_bytes());
        let key = PrivateKeyDer::from_pem_slice(self.identity.key.as_bytes());
        let chain = vec![certificate.expect("a certificate")];
        let config = builder.with_single_cert(chain, key.expect("a key"));
        let mut config = config.expect("they belong together");
        config.alpn_protocols =
            self.protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        config
    }
}

async fn accept(listener: &tokio::net::TcpListener, acceptor: &TlsAcceptor, behind: SocketAddr) {
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            // Whoever makes no sense is left, as a gateway does.
            let Ok(mut front) = acceptor.accept(stream).await else { return };
            let Ok(mut back) = TcpStream::connect(behind).await else { return };
            let _ = back.set_nodelay(true);
            let _ = tokio::io::copy_bidirectional(&mut front, &mut back).await;
        });
    }
}
