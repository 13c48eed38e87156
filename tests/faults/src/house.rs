//! A whole house: Redis, three processes of the game-service, two of the bot-service.
//!
//! **Invariant:** everything is a process of its own and is reached as users reach it. What was
//! started ends with the house.

pub(crate) mod place;
pub(crate) mod replica;
pub(crate) mod worker;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use handfoot_client::{
    Connection, Endpoint, ObserveCalls, PlatformClient, PlatformCredential,
    Settings as ConnectionSettings,
};
use handfoot_processes::{Plan, free_port};
use tempfile::TempDir;

use self::place::{Kind, Place};
use self::replica::{Credentials, Replica};
use self::worker::Worker;
use crate::out::progress;
use crate::proxy::Proxy;
use crate::setting::Setting;
use crate::trouble::Trouble;

/// Processes of the game-service.
pub(crate) const REPLICAS: usize = 3;

/// Processes of the bot-service.
pub(crate) const WORKERS: usize = 2;

/// What a house is to be like.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) kind: Kind,
    /// Beside those of every server.
    pub(crate) redis: Vec<&'static str>,
    /// After the address of the store, with its question mark.
    pub(crate) options: &'static str,
    /// How everybody reaches everybody else.
    pub(crate) way: Way,
    /// How long a decision is a worker's.
    pub(crate) lease: Duration,
    /// What each game-service has in its environment.
    pub(crate) environment: [Vec<(String, String)>; REPLICAS],
}

/// How game-services reach Redis, and callers reach game-services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Straight.
    Direct,
    /// Through proxies: one before Redis and one before itself for each game-service. With one
    /// Redis server only: others give out addresses of their own.
    Proxied,
}

impl Order {
    /// One server that syncs every write.
    pub(crate) fn alone() -> Order {
        Order {
            kind: Kind::Alone,
            redis: vec!["--appendfsync", "always"],
            options: "",
            way: Way::Direct,
            lease: Duration::from_secs(2),
            environment: std::array::from_fn(|_| Vec::new()),
        }
    }

    /// The same, each game-service through a proxy of its own.
    pub(crate) fn proxied() -> Order {
        Order { way: Way::Proxied, ..Order::alone() }
    }
}

/// A house that stands.
#[derive(Debug)]
pub(crate) struct House {
    pub(crate) place: Place,
    /// Before Redis, one for each replica; none if the way is direct.
    pub(crate) backs: Vec<Proxy>,
    /// Before each replica; none if the way is direct.
    pub(crate) fronts: Vec<Proxy>,
    pub(crate) replicas: Vec<Replica>,
    pub(crate) workers: Vec<Worker>,
    pub(crate) credentials: Credentials,
    pub(crate) order: Order,
    pub(crate) setting: Setting,
    folder: TempDir,
}

impl House {
    /// Starts everything and waits until it serves.
    ///
    /// # Errors
    ///
    /// Says what does not run.
    pub(crate) async fn build(setting: &Setting, order: Order) -> Result<House, Trouble> {
        let folder = tempfile::Builder::new().prefix("handfoot-faults-").tempdir();
        let mut folder = folder.map_err(Trouble::system("making a temporary folder"))?;
        folder.disable_cleanup(setting.keep);
        if setting.keep {
            progress(&format!("logs are in {}", folder.path().display()));
        }
        let place = tokio::task::block_in_place(|| Place::start(order.kind, &order.redis))?;
        let mut house = House {
            place,
            backs: Vec::new(),
            fronts: Vec::new(),
            replicas: Vec::new(),
            workers: Vec::new(),
            credentials: Credentials::default(),
            order,
            setting: setting.clone(),
            folder,
        };
        for number in 1..=REPLICAS {
            house.add_replica(number).await?;
        }
        for number in 1..=WORKERS {
            house.workers.push(Worker::start(house.plan_of_worker(number))?);
        }
        Ok(house)
    }

    async fn add_replica(&mut self, number: usize) -> Result<(), Trouble> {
        let seed = self.setting.seed.wrapping_mul(100).wrapping_add(number as u64);
        let url = match (self.order.way, &self.place) {
            (Way::Proxied, Place::Alone(server)) => {
                let target = SocketAddr::from(([127, 0, 0, 1], server.port()));
                let back = Proxy::start(target, seed).await?;
                let url = format!("redis://{}{}", back.address(), self.order.options);
                self.backs.push(back);
                url
            }
            (Way::Proxied, Place::Watched(_) | Place::Cluster(_)) | (Way::Direct, _) => {
                self.place.url(self.order.options)
            }
        };
        let plan = self.plan_of_replica(number, url);
        let (replica, credentials) = tokio::task::block_in_place(|| Replica::start(plan))?;
        self.credentials = credentials;
        if self.order.way == Way::Proxied {
            let target = replica.address.parse::<SocketAddr>();
            let target = target.map_err(|error| Trouble::Own(error.to_string()))?;
            self.fronts.push(Proxy::start(target, seed.wrapping_add(50)).await?);
        }
        self.replicas.push(replica);
        Ok(())
    }

    /// Where callers find each replica.
    fn addresses(&self) -> Vec<String> {
        match self.order.way {
            Way::Direct => self.replicas.iter().map(|replica| replica.address.clone()).collect(),
            Way::Proxied => self.fronts.iter().map(|front| front.address().to_string()).collect(),
        }
    }

    /// A connection to every replica.
    pub(crate) fn connection(&self) -> Result<Connection, Trouble> {
        connection(&self.addresses(), None)
    }

    /// A connection to every replica, of whose calls somebody is told.
    pub(crate) fn connection_telling(
        &self,
        observer: Arc<dyn ObserveCalls>,
    ) -> Result<Connection, Trouble> {
        connection(&self.addresses(), Some(observer))
    }

    /// A connection to one replica.
    pub(crate) fn connection_to(&self, replica: usize) -> Result<Connection, Trouble> {
        connection(&self.addresses()[replica..=replica], None)
    }

    /// Calls as the platform, on every replica.
    pub(crate) fn platform(&self) -> Result<PlatformClient, Trouble> {
        let credential = PlatformCredential::new(&self.credentials.platform);
        let credential = credential.map_err(|error| Trouble::Own(error.to_string()))?;
        Ok(PlatformClient::new(self.connection()?, credential))
    }

    /// The address of the store, for a look into it that no fault stands in the way of.
    pub(crate) fn store_url(&self) -> String {
        self.place.url("")
    }

    /// Every log of the services.
    pub(crate) fn logs(&self) -> Vec<PathBuf> {
        let games = (1..=REPLICAS).map(|number| self.folder.path().join(game_log(number)));
        let bots = (1..=WORKERS).map(|number| self.folder.path().join(bot_log(number)));
        games.chain(bots).collect()
    }

    /// How a game-service is started, with the store at this address.
    pub(crate) fn plan_of_replica(&self, number: usize, store: String) -> Plan {
        let keys = self.folder.path().join("local-keys").display().to_string();
        let listen = format!("127.0.0.1:{}", free_port());
        let arguments = ["--keys", "local", "--local-keys-file", &keys, "--listen", &listen];
        // An address may hold a password, which other users of the machine are not to see.
        let mut environment = vec![("HANDFOOT_STORE".to_owned(), store)];
        environment.extend(self.order.environment.get(number - 1).into_iter().flatten().cloned());
        Plan {
            name: format!("game-service {number}"),
            program: self.setting.programs.game.clone(),
            advice: "build it again".to_owned(),
            arguments: arguments.iter().map(|&text| text.to_owned()).collect(),
            environment,
            log: Some(self.folder.path().join(game_log(number))),
        }
    }

    fn plan_of_worker(&self, number: usize) -> Plan {
        let servers = self.addresses();
        let lease = format!("{}ms", self.order.lease.as_millis());
        let arguments = [
            ["--servers", &servers.join(",")],
            ["--worker", &format!("bots-{number}")],
            ["--lease", &lease],
            ["--report-every", "0s"],
        ];
        Plan {
            name: format!("bot-service {number}"),
            program: self.setting.programs.bot.clone(),
            advice: "build it again".to_owned(),
            arguments: arguments.iter().flatten().map(|&text| text.to_owned()).collect(),
            environment: vec![("HANDFOOT_BOT_CREDENTIAL".to_owned(), self.credentials.bot.clone())],
            log: Some(self.folder.path().join(bot_log(number))),
        }
    }
}

fn game_log(number: usize) -> String {
    format!("game-service-{number}.log")
}

fn bot_log(number: usize) -> String {
    format!("bot-service-{number}.log")
}

/// A connection to these addresses.
fn connection(
    addresses: &[String],
    observer: Option<Arc<dyn ObserveCalls>>,
) -> Result<Connection, Trouble> {
    let endpoints = addresses.iter().map(|address| address.parse::<Endpoint>());
    let endpoints = endpoints.collect::<Result<Vec<_>, _>>();
    let endpoints = endpoints.map_err(|error| Trouble::Own(error.to_string()))?;
    Ok(Connection::to(endpoints, &ConnectionSettings { observer, ..Default::default() }))
}
