//! A service that is sent bytes, with credentials that no platform would give out.
//!
//! **Invariant:** what is sent is what was made, byte for byte, and so is what comes back.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, BufMut};
use handfoot_engine::Viewer;
use handfoot_game_service::auth::{
    BotCredential, CredentialKey, Generation, KeySet, Keys, PlatformCredential, SeatGrant,
    SeatScopes, SigningKey,
};
use handfoot_game_service::drain::Drain;
use handfoot_game_service::server::{Settings, serve};
use handfoot_game_service::{Tables, rpc};
use handfoot_view::Seat;
use hmac::{Hmac, KeyInit, Mac};
use hyper_util::rt::TokioIo;
use sha2::Sha256;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::service::RoutesBuilder;
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Request, Status};

use crate::api::kit::{SameSecrets, World};
use crate::edge_auth::KEY_A;

const CREDENTIAL_KEY: &str = "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk";

/// API keys and what is kept of them after the HMAC.
pub(super) const ACME: &str = "hfp_acme.secret";
pub(super) const OTHER: &str = "hfp_other.secret";
pub(super) const READER: &str = "hfp_reader.secret";
pub(super) const BOTS: &str = "hfb_bots.secret";
pub(super) const OTHER_BOTS: &str = "hfb_other.secret";

/// A connection to a process over the store of a world.
#[derive(Clone)]
pub(super) struct Raw {
    grpc: Grpc<Channel>,
    keys: Arc<Keys>,
}

fn credential_text(key: &str, rest: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(CREDENTIAL_KEY.as_bytes()).unwrap();
    mac.update(key.as_bytes());
    let tag: String = mac.finalize().into_bytes().iter().map(|b| format!("{b:02x}")).collect();
    format!("{}:{tag}{rest}", key.split(['_', '.']).nth(1).unwrap())
}

fn key_set() -> KeySet {
    let platform = |key, rest| PlatformCredential::from_text(&credential_text(key, rest)).unwrap();
    let bots = |key, rest| BotCredential::from_text(&credential_text(key, rest)).unwrap();
    KeySet {
        signing: SigningKey::from_pem(KEY_A).unwrap(),
        previous: None,
        credential_key: CredentialKey::from_text(CREDENTIAL_KEY).unwrap(),
        platforms: vec![
            platform(ACME, ":acme:tables.read+tables.write+tokens.issue"),
            platform(OTHER, ""),
            platform(READER, ":acme:tables.read"),
        ],
        bots: vec![bots(BOTS, ":*"), bots(OTHER_BOTS, "")],
    }
}

impl Raw {
    pub(super) fn new(world: &World) -> Raw {
        let (keys, drain) = (Arc::new(Keys::new(key_set(), world.clock.clone())), Drain::new());
        let tables = Tables::new(world.store.clone(), Arc::new(SameSecrets), drain.clone());
        let mut routes = RoutesBuilder::default();
        rpc::add_services(&mut routes, &tables, &keys);
        let routes = routes.routes();
        let (connections, accepted) = mpsc::unbounded_channel::<std::io::Result<_>>();
        let incoming = UnboundedReceiverStream::new(accepted);
        tokio::spawn(async move { serve(incoming, routes, &Settings::USUAL, drain).await });
        let connector = tower::service_fn(move |_: Uri| {
            let (ours, theirs) = tokio::io::duplex(256 * 1024);
            let sent = connections.send(Ok(theirs));
            let refused = |_| std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
            std::future::ready(sent.map(|()| TokioIo::new(ours)).map_err(refused))
        });
        let channel = Endpoint::from_static("http://raw").connect_with_connector_lazy(connector);
        Raw { grpc: Grpc::new(channel), keys }
    }

    /// A token as the service signs them, for whatever is asked.
    pub(super) fn token(&self, tenant: &str, table: &str, seat: usize, seconds: u64) -> String {
        self.signed(tenant, table, seat, seconds, SeatScopes::SEAT, None)
    }

    /// The token of a seat that may only watch.
    pub(super) fn watching(&self, table: &str) -> String {
        self.signed("acme", table, 1, 3_600, SeatScopes::SPECTATOR, None)
    }

    /// The token of a lease that nobody holds.
    pub(super) fn lost_lease(&self, table: &str) -> String {
        let lease = format!("{table}.1.77.5000");
        self.signed("acme", table, 1, 3_600, SeatScopes::SEAT, Some(&lease))
    }

    fn signed(
        &self,
        tenant: &str,
        table: &str,
        seat: usize,
        seconds: u64,
        scopes: SeatScopes,
        lease: Option<&str>,
    ) -> String {
        let grant = SeatGrant {
            tenant: tenant.parse().unwrap(),
            table: table.parse().unwrap(),
            viewer: Seat::from_number(seat).map_or(Viewer::Spectator, Viewer::Seat),
            scopes,
            generation: Generation(0),
            lease: lease.map(|lease| lease.parse().unwrap()),
            lifetime: Duration::from_secs(seconds),
        };
        self.keys.issue(grant).unwrap().reveal().to_owned()
    }

    /// Sends a message; of a stream the first item is the answer.
    pub(super) async fn send(
        &mut self,
        path: &str,
        is_stream: bool,
        authorization: Option<&str>,
        message: Vec<u8>,
    ) -> Result<Vec<u8>, Status> {
        self.grpc.ready().await.unwrap();
        let mut request = Request::new(message);
        if let Some(value) = authorization {
            request.metadata_mut().insert("authorization", value.parse().unwrap());
        }
        let path = path.parse().unwrap();
        if !is_stream {
            return Ok(self.grpc.unary(request, path, Bytewise).await?.into_inner());
        }
        let mut items = self.grpc.server_streaming(request, path, Bytewise).await?.into_inner();
        Ok(items.message().await?.unwrap())
    }
}

/// Messages as bytes.
struct Bytewise;

impl Codec for Bytewise {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Bytewise;
    type Decoder = Bytewise;

    fn encoder(&mut self) -> Bytewise {
        Bytewise
    }

    fn decoder(&mut self) -> Bytewise {
        Bytewise
    }
}

impl Encoder for Bytewise {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Bytewise {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut item = vec![0; from.remaining()];
        from.copy_to_slice(&mut item);
        Ok(Some(item))
    }
}
