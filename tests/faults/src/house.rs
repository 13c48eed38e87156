//! A whole house: Redis, three processes of the game-service, two of the bot-service.
//!
//! **Invariant:** everything is a process of its own and is reached as users reach it. What was
//! started ends with the house.

pub(crate) mod place;
pub(crate) mod replica;
pub(crate) mod worker;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use handfoot_client::{
    Connection, Endpoint, PlatformClient, PlatformCredential, Settings as ConnectionSettings,
};
use handfoot_processes::{Plan, Process, free_port};
use tempfile::TempDir;

use self::place::{Kind, Place};
use self::replica::{Credentials, Replica};
use self::worker::Worker;
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
    /// How the game-services reach one Redis server.
    pub(crate) way: Way,
    /// How long a decision is a worker's.
    pub(crate) lease: Duration,
    /// What each game-service has in its environment.
    pub(crate) environment: [Vec<(String, String)>; REPLICAS],
}

/// How the game-services reach one Redis server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Straight.
    Direct,
    /// Each through a proxy of its own.
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
    pub(crate) proxies: Vec<Proxy>,
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
        let place = tokio::task::block_in_place(|| Place::start(order.kind, &order.redis))?;
        let mut proxies = Vec::new();
        let mut replicas = Vec::new();
        let mut credentials = None;
        for number in 1..=REPLICAS {
            let url = match (order.way, &place) {
                (Way::Proxied, Place::Alone(server)) => {
                    let target = SocketAddr::from(([127, 0, 0, 1], server.port()));
                    let proxy = Proxy::start(target, setting.seed + number as u64).await?;
                    let url = format!("redis://{}{}", proxy.address(), order.options);
                    proxies.push(proxy);
                    url
                }
                (Way::Proxied, Place::Watched(_) | Place::Cluster(_)) | (Way::Direct, _) => {
                    place.url(order.options)
                }
            };
            let mut plan = plan_of_replica(setting, number, &folder);
            plan.environment.push(("HANDFOOT_STORE".to_owned(), url));
            plan.environment.extend(order.environment[number - 1].iter().cloned());
            let (replica, said) = tokio::task::block_in_place(|| Replica::start(plan))?;
            replicas.push(replica);
            credentials.get_or_insert(said);
        }
        let credentials =
            credentials.ok_or_else(|| Trouble::Own("there are no replicas".to_owned()))?;
        let mut house = House {
            place,
            proxies,
            replicas,
            workers: Vec::new(),
            credentials,
            order,
            setting: setting.clone(),
            folder,
        };
        for number in 1..=WORKERS {
            house.workers.push(Worker::start(house.plan_of_worker(number))?);
        }
        Ok(house)
    }

    /// A connection to every replica.
    pub(crate) fn connection(&self) -> Result<Connection, Trouble> {
        connection(self.replicas.iter().map(|replica| replica.address.as_str()))
    }

    /// A connection to one replica.
    pub(crate) fn connection_to(&self, replica: usize) -> Result<Connection, Trouble> {
        connection(self.replicas.get(replica).map(|replica| replica.address.as_str()))
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

    /// Every process of a service.
    pub(crate) fn processes(&mut self) -> Vec<&mut Process> {
        let games = self.replicas.iter_mut().map(|replica| &mut replica.process);
        games.chain(self.workers.iter_mut().map(|worker| &mut worker.process)).collect()
    }

    fn plan_of_worker(&self, number: usize) -> Plan {
        let servers: Vec<String> =
            self.replicas.iter().map(|replica| format!("http://{}", replica.address)).collect();
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

fn plan_of_replica(setting: &Setting, number: usize, folder: &TempDir) -> Plan {
    let keys = folder.path().join("local-keys").display().to_string();
    let listen = format!("127.0.0.1:{}", free_port());
    let arguments = ["--keys", "local", "--local-keys-file", &keys, "--listen", &listen];
    Plan {
        name: format!("game-service {number}"),
        program: setting.programs.game.clone(),
        advice: "build it again".to_owned(),
        arguments: arguments.iter().map(|&text| text.to_owned()).collect(),
        environment: Vec::new(),
        log: Some(folder.path().join(game_log(number))),
    }
}

fn game_log(number: usize) -> String {
    format!("game-service-{number}.log")
}

fn bot_log(number: usize) -> String {
    format!("bot-service-{number}.log")
}

/// A connection to these addresses.
pub(crate) fn connection<'a>(
    addresses: impl IntoIterator<Item = &'a str>,
) -> Result<Connection, Trouble> {
    let endpoints = addresses.into_iter().map(str::parse::<Endpoint>);
    let endpoints = endpoints.collect::<Result<Vec<_>, _>>();
    let endpoints = endpoints.map_err(|error| Trouble::Own(error.to_string()))?;
    Ok(Connection::to(endpoints, &ConnectionSettings::default()))
}
