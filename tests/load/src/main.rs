//! `handfoot-load`: how fast and how small the service is, against tonic with nothing behind it
//! and Redis with nothing before it.
//!
//! Servers and callers are processes of their own. Games are played in advance, so that callers do
//! nothing but call.
//!
//! **Invariant:** this program knows the service by its API and its configuration alone.

mod bare;
mod calls;
mod check;
mod cli;
mod collector;
mod drive;
mod exposed;
mod goals;
mod latency;
mod measure;
mod out;
mod people;
mod plan;
mod process;
mod running;
mod scale;
mod script;
mod service;
mod shipped;
mod site;
mod sizes;
mod streams;
mod subject;
mod table;
mod telemetry;
mod trouble;
mod watching;

use std::process::ExitCode;

use clap::Parser;
use handfoot_game_service::config::{self, Asked, Environment};
use handfoot_game_service::pages::keep_pages_small;
use handfoot_game_service::rpc::api;
use handfoot_game_service::server::start;
use mimalloc::MiMalloc;

use crate::cli::{CellArgs, Cli, Command, RunArgs, ServeArgs};
use crate::measure::Trial;
use crate::out::{MessageBytes, Report, progress, say};
use crate::plan::{Key, Kind};
use crate::running::Running;
use crate::sizes::Sizes;
use crate::subject::{Moves, Watchers};
use crate::trouble::Trouble;

/// That of the programs that serve; the baselines have it too.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Tables that are weighed, each at another point of its game.
const WEIGHED_TABLES: usize = 64;

/// Streams on which nothing happens.
const IDLE_STREAMS: usize = 2_000;

/// Whether what was to hold does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Holds,
    Missed,
}

fn main() -> ExitCode {
    // Callers and the baselines too: what is measured is what servers do.
    keep_pages_small();
    let asked = Cli::parse().command;
    let done = match asked {
        Command::Run(args) => threads(args.setting.workers, run(&args)),
        Command::Check(args) => {
            threads(1, async { check::check(&args).await.map(|()| Verdict::Holds) })
        }
        Command::Scale(args) => threads(args.setting.workers, async {
            scale::scale(&args).await.map(|()| Verdict::Holds)
        }),
        Command::Streams(args) => {
            threads(args.workers, async { streams::streams(&args).await.map(|()| Verdict::Holds) })
        }
        Command::People(args) => threads(args.setting.workers, async {
            people::people(&args).await.map(|()| Verdict::Holds)
        }),
        Command::Telemetry(args) => threads(args.setting.workers, async {
            telemetry::telemetry(&args).await.map(|()| Verdict::Holds)
        }),
        Command::Cell(args) => threads(args.setting.workers, cell(&args)),
        Command::BareServer(args) => {
            threads(args.workers, async { bare::server::serve().await.map(|()| Verdict::Holds) })
        }
        Command::Serve(args) => serve(args),
        Command::Bots(args) => bots(args),
    };
    match done {
        Ok(Verdict::Holds) => ExitCode::SUCCESS,
        Ok(Verdict::Missed) => ExitCode::from(1),
        Err(trouble) => {
            progress(&format!("handfoot-load: {trouble}"));
            match trouble {
                Trouble::Wrong(_) => ExitCode::from(1),
                Trouble::System { .. }
                | Trouble::Process(_)
                | Trouble::Call { .. }
                | Trouble::Connection(_)
                | Trouble::Redis(_) => ExitCode::from(3),
            }
        }
    }
}

/// Runs on so many threads.
fn threads<T>(workers: u16, work: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    let threads = threads.worker_threads(usize::from(workers)).enable_all().build();
    threads.map_err(Trouble::system("starting threads"))?.block_on(work)
}

async fn run(args: &RunArgs) -> Result<Verdict, Trouble> {
    let setting = &args.setting;
    let scripts = plan::scripts(setting)?;
    let results = plan::run(args, &scripts).await?;
    progress("sizes");
    let sizes = Sizes::measure(setting, &scripts, WEIGHED_TABLES, IDLE_STREAMS).await?;
    let goals = goals::goals(&results, &sizes);
    let played = plan::equally_long(&scripts, setting);
    let report = Report {
        setting,
        rounds: args.rounds,
        results: &results,
        messages: MessageBytes::of(played.iter().map(AsRef::as_ref)),
        sizes,
        goals: &goals,
    };
    match args.json {
        true => report.json()?,
        false => report.tables()?,
    }
    match args.assert && goals.iter().any(|goal| !goal.is_met()) {
        true => Ok(Verdict::Missed),
        false => Ok(Verdict::Holds),
    }
}

async fn cell(args: &CellArgs) -> Result<Verdict, Trouble> {
    let CellArgs { setting, subject, in_flight, half_load, watched, times } = args;
    let scripts = plan::equally_long(&plan::scripts(setting)?, setting);
    let token = plan::sample_token(setting).await?;
    let mut running = Running::start(*subject, setting).await?;
    for server in &running.site.servers {
        progress(&format!("process {} serves", server.process.id()));
    }
    let watchers = if *watched { Watchers::EverySeat } else { Watchers::Nobody };
    let kinds =
        [Some(Kind::InFlight(usize::from(*in_flight))), half_load.then_some(Kind::HalfLoad)];
    for _ in 0..*times {
        let mut reached = None;
        for kind in kinds.into_iter().flatten() {
            let (n_tables, load) = plan::load_of(kind, reached.as_ref(), &scripts);
            let (scripts, token, moves) = (&scripts[..], &token, Moves::BySeat);
            let trial = Trial { scripts, n_tables, watchers, moves, load, token };
            let measured = measure::measure(&mut running, trial).await?;
            say(&plan::line(Key { watchers, kind, subject: *subject }, &measured))?;
            reached = Some(measured);
        }
    }
    Ok(Verdict::Holds)
}

/// The game-service, just as its own program runs it.
fn serve(args: ServeArgs) -> Result<Verdict, Trouble> {
    let name = std::iter::once("game-service".to_owned());
    let config = match config::read(name.chain(args.flags), &Environment) {
        Ok(Asked::Serve(config)) => config,
        Ok(Asked::Print(text)) => return say(&text).map(|()| Verdict::Holds),
        Err(error) => return Err(Trouble::wrong(error.to_string())),
    };
    match start(&config, api) {
        Ok(_) => Ok(Verdict::Holds),
        Err(error) => Err(Trouble::wrong(error.to_string())),
    }
}

/// The bot-service, just as its own program runs it.
fn bots(args: ServeArgs) -> Result<Verdict, Trouble> {
    use handfoot_bot_service::config::{self, Asked, Environment};
    let name = std::iter::once("bot-service".to_owned());
    let config = match config::read(name.chain(args.flags), &Environment) {
        Ok(Asked::Serve(config)) => *config,
        Ok(Asked::Print(text)) => return say(&text).map(|()| Verdict::Holds),
        Err(error) => return Err(Trouble::wrong(error.to_string())),
    };
    match handfoot_bot_service::start(config) {
        Ok(exit) if exit.code() == 0 => Ok(Verdict::Holds),
        Ok(exit) => Err(Trouble::wrong(format!("bot-service ended with code {}", exit.code()))),
        Err(error) => Err(Trouble::wrong(error.to_string())),
    }
}
