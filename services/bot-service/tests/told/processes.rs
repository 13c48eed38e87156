//! The programs as processes, and everything that they print.
//!
//! **Invariant:** a program ends with the value that stands for it. The game-service and the client
//! are this program again, told by its environment what to be: that is how a test of one package
//! starts another's program.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use handfoot_game_service::config::{self, Asked, Environment};
use handfoot_game_service::rpc::api;
use handfoot_game_service::server::start;

/// Says that this program is to serve, and nothing else.
const SERVE: &str = "HANDFOOT_TEST_TO_SERVE";

/// How long a program may take to say what it must.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// The body of the game-service's process: what its own program does.
#[test]
fn serves_when_it_is_told_to() {
    if std::env::var_os(SERVE).is_none() {
        return;
    }
    let read = config::read(["game-service".to_owned()], &Environment);
    let Ok(Asked::Serve(config)) = read else { panic!("{read:?}") };
    start(&config, api).unwrap();
}

#[derive(Default)]
struct Printed {
    text: String,
    open: u32,
}

/// A program that runs.
pub(super) struct Program {
    child: Child,
    printed: Arc<(Mutex<Printed>, Condvar)>,
}

impl Program {
    /// The game-service with keys of its own, tables in memory and this environment.
    pub(super) fn game_service(environment: &[(&str, &str)]) -> Program {
        let mut command = this_program("told::processes::serves_when_it_is_told_to");
        command.env(SERVE, "1");
        command.env("HANDFOOT_KEYS", "local").env("HANDFOOT_STORE", "memory:");
        command.env("HANDFOOT_LISTEN", "127.0.0.1:0");
        Program::start(command, environment)
    }

    /// The bot-service with this environment.
    pub(super) fn bot_service(environment: &[(&str, &str)]) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bot-service"));
        command.env_clear();
        Program::start(command, environment)
    }

    pub(super) fn start(mut command: Command, environment: &[(&str, &str)]) -> Program {
        command.envs(environment.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let printed = Arc::default();
        keep(child.stdout.take().unwrap(), &printed);
        keep(child.stderr.take().unwrap(), &printed);
        Program { child, printed }
    }

    /// Waits until a line gives what is looked for.
    pub(super) fn wait_for<T>(&self, look: impl Fn(&str) -> Option<T>) -> T {
        let (printed, changed) = &*self.printed;
        let until = Instant::now() + WAIT_MAX;
        let mut printed = printed.lock().unwrap();
        loop {
            if let Some(found) = printed.text.lines().find_map(&look) {
                return found;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(printed.open > 0 && !left.is_zero(), "it did not say it: {}", printed.text);
            printed = changed.wait_timeout(printed, left).unwrap().0;
        }
    }

    /// The rest of a line that begins like this.
    pub(super) fn line_after(&self, beginning: &str) -> String {
        self.wait_for(|line| line.strip_prefix(beginning).map(str::to_owned))
    }

    /// Where its metrics are: `HOST:PORT`.
    pub(super) fn metrics_address(&self) -> String {
        self.wait_for(|line| {
            let (_, rest) = line.split_once("\"message\":\"metrics\",\"address\":\"")?;
            rest.split_once('"').map(|(address, _)| address.to_owned())
        })
    }

    /// Tells it to end and gives everything that it has printed.
    pub(super) fn end(mut self) -> String {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.ended()
    }

    /// Waits until it has ended by itself and gives everything that it has printed.
    pub(super) fn ended(&mut self) -> String {
        let code = self.child.wait().unwrap().code();
        let (printed, changed) = &*self.printed;
        let mut printed = printed.lock().unwrap();
        while printed.open > 0 {
            printed = changed.wait(printed).unwrap();
        }
        assert_eq!(code, Some(0), "{}", printed.text);
        printed.text.clone()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// This program again, to run one of its tests.
pub(super) fn this_program(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture"]).env_clear();
    command
}

/// Reads what a program prints for as long as it lives, so that it is never held up.
fn keep(output: impl Read + Send + 'static, printed: &Arc<(Mutex<Printed>, Condvar)>) {
    printed.0.lock().unwrap().open += 1;
    let printed = Arc::clone(printed);
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = String::new();
        while output.read_line(&mut line).is_ok_and(|read| read > 0) {
            printed.0.lock().unwrap().text.push_str(&line);
            printed.1.notify_all();
            line.clear();
        }
        printed.0.lock().unwrap().open -= 1;
        printed.1.notify_all();
    });
}

/// What a program shows over HTTP: its status line and its body.
pub(super) fn get(address: &str, path: &str) -> (String, String) {
    use std::io::Write;
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

/// A game-service and a bot-service that tell everything, and the credential of the platform.
pub(super) struct House {
    pub(super) game: Program,
    pub(super) bots: Program,
    pub(super) address: String,
    pub(super) platform: String,
    /// Secrets that were printed for whoever started it, and may be nowhere else.
    pub(super) credentials: Vec<String>,
}

impl House {
    /// Everything on: traces to this collector, metrics, logs from this level on as JSON.
    pub(super) fn telling(collector: &str, log: &str) -> House {
        let game = Program::game_service(&[
            ("HANDFOOT_LOG", log),
            ("HANDFOOT_TRACES_ENDPOINT", collector),
            ("HANDFOOT_METRICS_LISTEN", "127.0.0.1:0"),
        ]);
        let address = game.line_after("game-service on ");
        let platform = game.line_after("platform credential: ");
        let credential = game.line_after("bot credential: ");
        let bots = Program::bot_service(&[
            ("HANDFOOT_BOT_SERVERS", &format!("http://{address}")),
            ("HANDFOOT_BOT_CREDENTIAL", &credential),
            ("HANDFOOT_BOT_LOG", log),
            ("HANDFOOT_BOT_LOG_FORMAT", "json"),
            ("HANDFOOT_BOT_TRACES_ENDPOINT", collector),
            ("HANDFOOT_BOT_METRICS_LISTEN", "127.0.0.1:0"),
        ]);
        let credentials = vec![platform.clone(), credential];
        House { game, bots, address, platform, credentials }
    }

    /// A client that plays people at tables, and sends traces to this collector.
    pub(super) fn client(&self, collector: &str, plan: &BTreeMap<&str, String>) -> Program {
        let mut command = this_program("told::client::plays_when_it_is_told_to");
        command.env(super::client::PLAY, "1");
        command.env(super::client::SERVER, &self.address);
        command.env(super::client::CREDENTIAL, &self.platform);
        command.env(super::client::COLLECTOR, collector);
        let plan: Vec<(&str, &str)> = plan.iter().map(|(k, v)| (*k, v.as_str())).collect();
        Program::start(command, &plan)
    }
}
