//! Connections to servers, with the limits that a game needs.
//!
//! **Invariant:** every connection has its time-outs from here: the defaults of the client are not
//! ours. A connection that is given out knows all scripts.

use std::fmt;
use std::time::Duration;

use redis::aio::{AsyncPushSender, MultiplexedConnection};
use redis::io::tcp::{TcpSettings, socket2};
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo,
    ProtocolVersion, RedisConnectionInfo, RedisResult, TlsCertificates,
};

use super::address::{RedisAddress, Server};
use super::limits::{ANSWER_AFTER_REPLICAS, ANSWER_MAX, CONNECT_MAX, KEEPALIVE};
use super::scripts::loading;

/// Makes connections.
pub(super) struct Dial {
    address: RedisAddress,
    /// Certificates that are trusted, if not those of the system.
    authority: Option<Vec<u8>>,
    /// How long replicas may take to say that they have a change.
    replicas_answer: Duration,
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
    pub(super) fn new(
        address: RedisAddress,
        authority: Option<Vec<u8>>,
        replicas_answer: Duration,
    ) -> Self {
        if address.is_tls {
            // The whole process has one provider; whoever was first has set the same.
            let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        }
        Self { address, authority, replicas_answer }
    }

    pub(super) const fn address(&self) -> &RedisAddress {
        &self.address
    }

    pub(super) const fn replicas_answer(&self) -> Duration {
        self.replicas_answer
    }

    /// A connection for calls.
    pub(super) async fn connect(&self, server: &Server) -> RedisResult<MultiplexedConnection> {
        self.connect_with(server, config()).await
    }

    /// A connection for calls that wait for replicas.
    pub(super) async fn connect_durably(
        &self,
        server: &Server,
    ) -> RedisResult<MultiplexedConnection> {
        let answer_max = ANSWER_MAX.max(self.replicas_answer + ANSWER_AFTER_REPLICAS);
        self.connect_with(server, config().set_response_timeout(Some(answer_max))).await
    }

    async fn connect_with(
        &self,
        server: &Server,
        config: AsyncConnectionConfig,
    ) -> RedisResult<MultiplexedConnection> {
        let client = self.client(server, Speaks::Answers)?;
        let mut connection = open(&client, config).await?;
        let _: Vec<redis::Value> = loading().query_async(&mut connection).await?;
        Ok(connection)
    }

    /// A connection for news, which go to a channel.
    pub(super) async fn listen(
        &self,
        server: &Server,
        news: impl AsyncPushSender,
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
        let place = place.into_connection_info()?.set_tcp_settings(tcp());
        let info: ConnectionInfo = place.set_redis_settings(settings);
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

/// Small questions are sent at once, and a side that has gone without a word is noticed.
fn tcp() -> TcpSettings {
    let keepalive = socket2::TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE);
    TcpSettings::default().set_nodelay(true).set_keepalive(keepalive)
}

fn config() -> AsyncConnectionConfig {
    AsyncConnectionConfig::new()
        .set_connection_timeout(Some(CONNECT_MAX))
        .set_response_timeout(Some(ANSWER_MAX))
}
