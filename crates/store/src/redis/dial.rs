//! Connections to servers, with the limits that a game needs.
//!
//! **Invariant:** every connection has its time-outs from here: the defaults of the client are not
//! ours. A connection that is given out knows all scripts.

use std::fmt;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo,
    ProtocolVersion, PushInfo, RedisConnectionInfo, RedisResult, TlsCertificates,
};
use tokio::sync::mpsc::UnboundedSender;

use super::address::{RedisAddress, Server};
use super::scripts::loading;

/// How long a connection may take to be made.
pub(super) const CONNECT_MAX: Duration = Duration::from_millis(500);

/// How long an answer may take.
pub(super) const ANSWER_MAX: Duration = Duration::from_millis(700);

/// Makes connections.
pub(super) struct Dial {
    address: RedisAddress,
    /// Certificates that are trusted, if not those of the system.
    authority: Option<Vec<u8>>,
}

impl fmt::Debug for Dial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dial").field(&self.address).finish()
    }
}

/// Which protocol a connection speaks: the third for what is pushed, the second for all else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaks {
    Answers,
    News,
}

impl Dial {
    pub(super) fn new(address: RedisAddress, authority: Option<Vec<u8>>) -> Self {
        if address.is_tls {
            // The whole process has one provider; whoever was first has set the same.
            let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        }
        Self { address, authority }
    }

    pub(super) const fn address(&self) -> &RedisAddress {
        &self.address
    }

    /// A connection for calls.
    pub(super) async fn connect(&self, server: &Server) -> RedisResult<MultiplexedConnection> {
        let client = self.client(server, Speaks::Answers)?;
        let mut connection = open(&client, config()).await?;
        let _: Vec<redis::Value> = loading().query_async(&mut connection).await?;
        Ok(connection)
    }

    /// A connection for news, which go to a channel.
    pub(super) async fn listen(
        &self,
        server: &Server,
        news: UnboundedSender<PushInfo>,
    ) -> RedisResult<MultiplexedConnection> {
        let client = self.client(server, Speaks::News)?;
        open(&client, config().set_push_sender(news)).await
    }

    /// A connection to a sentinel.
    pub(super) async fn ask(&self, sentinel: &Server) -> RedisResult<MultiplexedConnection> {
        open(&self.sentinel_client(sentinel)?, config()).await
    }

    /// A client of a sentinel.
    pub(super) fn sentinel_client(&self, sentinel: &Server) -> RedisResult<Client> {
        let settings = RedisConnectionInfo::default();
        let settings = match &self.address.sentinel_password {
            Some(password) => settings.set_password(password),
            None => settings,
        };
        self.client_of(sentinel, settings)
    }

    /// A client of a server that keeps tables.
    pub(super) fn server_client(&self, server: &Server) -> RedisResult<Client> {
        self.client(server, Speaks::Answers)
    }

    fn client(&self, server: &Server, speaks: Speaks) -> RedisResult<Client> {
        let mut settings = RedisConnectionInfo::default()
            .set_db(i64::from(self.address.database()))
            .set_protocol(match speaks {
                Speaks::Answers => ProtocolVersion::RESP2,
                Speaks::News => ProtocolVersion::RESP3,
            });
        if let Some(user) = &self.address.user {
            settings = settings.set_username(user);
        }
        if let Some(password) = &self.address.password {
            settings = settings.set_password(password);
        }
        self.client_of(server, settings)
    }

    fn client_of(&self, server: &Server, settings: RedisConnectionInfo) -> RedisResult<Client> {
        let (host, port) = (server.host.clone(), server.port);
        let place = match self.address.is_tls {
            true => ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None },
            false => ConnectionAddr::Tcp(host, port),
        };
        let info: ConnectionInfo = place.into_connection_info()?.set_redis_settings(settings);
        match &self.authority {
            None => Client::open(info),
            Some(authority) => {
                let root_cert = Some(authority.clone());
                Client::build_with_tls(info, TlsCertificates { client_tls: None, root_cert })
            }
        }
    }
}

async fn open(
    client: &Client,
    config: AsyncConnectionConfig,
) -> RedisResult<MultiplexedConnection> {
    client.get_multiplexed_async_connection_with_config(&config).await
}

fn config() -> AsyncConnectionConfig {
    AsyncConnectionConfig::new()
        .set_connection_timeout(Some(CONNECT_MAX))
        .set_response_timeout(Some(ANSWER_MAX))
}
