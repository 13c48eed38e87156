//! People's tables beside bots that are short of CPU.
//!
//! Bots that never pause have as many decisions waiting as there are tables of theirs, so their
//! processes use all the CPU that they are given, and the queue is never empty.
//!
//! **Invariant:** people's calls come at one rate in every measurement, and each is answered as
//! played; how long that took is printed and never judged.

use std::time::{Duration, Instant};

use handfoot_processes::{CpuLimit, Process};
use serde::Serialize;
use serde_json::json;

use crate::cli::{PeopleArgs, Setting, Telemetry};
use crate::drive::Load;
use crate::exposed::Exposed;
use crate::measure::measure_tables;
use crate::out::{progress, say};
use crate::plan;
use crate::process::own;
use crate::running::Running;
use crate::subject::{Moves, Watchers};
use crate::trouble::Trouble;

/// How long bots may take to have begun: until each of their tables has moved once.
const BEGUN_MAX: Duration = Duration::from_secs(120);

/// Between two looks at whether they have.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// What one measurement gave.
#[derive(Clone, Debug, Serialize)]
struct Measured {
    /// Cores that bots had together; none: there were no bots.
    bot_cores: Option<f64>,
    actions: u64,
    p50_us: f64,
    p99_us: f64,
    /// Cores that game-service used.
    server_cores: f64,
    bots: Option<Bots>,
}

/// What bots did meanwhile.
#[derive(Clone, Copy, Debug, Serialize)]
struct Bots {
    /// Cores that they used.
    cores: f64,
    decisions_per_s: f64,
    /// Bounds of the histogram: within which half, and all but a hundredth, were taken.
    lag_p50_s: Option<f64>,
    lag_p99_s: Option<f64>,
    /// Of tasks that may be under way, how many were, at the end.
    tasks_open: f64,
    tasks_max: f64,
    /// Decisions that game-service did not accept.
    refused: f64,
    /// Those that came too late, or whose lease had run out.
    late: f64,
}

/// Measures people alone, then beside bots with so many cores, and prints a table.
///
/// # Errors
///
/// What went wrong first; `Wrong` if a decision was refused.
pub(crate) async fn people(args: &PeopleArgs) -> Result<(), Trouble> {
    let mut all = vec![measure(args, None).await?];
    let mut way = "none";
    for &cores in &args.bot_cores {
        let limit = CpuLimit::of_cores(cores);
        way = limit.name();
        progress(&format!("bots have {cores} cores: {way}"));
        all.push(measure(args, Some((cores, limit))).await?);
    }
    match args.json {
        true => {
            say(&json!({ "limit": way, "rate": args.rate, "measured": all }).to_string())?;
        }
        false => table(args, way, &all)?,
    }
    let refused: f64 = all.iter().filter_map(|one| one.bots).map(|bots| bots.refused).sum();
    match refused > 0.0 {
        true => Err(Trouble::wrong(format!("{refused} decisions of bots were refused"))),
        false => Ok(()),
    }
}

async fn measure(args: &PeopleArgs, limit: Option<(f64, CpuLimit)>) -> Result<Measured, Trouble> {
    let setting = Setting { telemetry: Telemetry::Metrics, ..args.setting.clone() };
    let scripts = plan::scripts(&setting)?;
    let mut running = Running::start(args.subject, &setting).await?;
    let scripts = scripts.iter().cycle().take(usize::from(args.tables)).cloned();
    let (watchers, token) = (Watchers::EverySeat, plan::no_token());
    let tables = running.open(scripts, watchers, Moves::BySeat, &token).await?;
    // The limit goes last, when those under it have ended.
    let (bot_cores, limit) = limit.unzip();
    let crew = match &limit {
        Some(limit) => Some(Crew::start(args, &mut running, limit).await?),
        None => None,
    };
    let n_actions = args.rate.saturating_mul(args.seconds);
    let load = Load::Rate { rate: f64::from(args.rate), n_actions };
    let before = Reading::now(&running, crew.as_ref()).await?;
    let measured = measure_tables(&running, tables, watchers, load).await?;
    let after = Reading::now(&running, crew.as_ref()).await?;
    let seconds = (after.at - before.at).as_secs_f64();
    let bots = crew.is_some().then(|| Bots::between(&before, &after));
    let measured = Measured {
        bot_cores,
        actions: measured.n_actions,
        p50_us: measured.p50_us,
        p99_us: measured.p99_us,
        server_cores: (after.server_cpu - before.server_cpu) / seconds,
        bots,
    };
    progress(&row(&measured));
    Ok(measured)
}

/// Processes that play bots.
struct Crew(Vec<(Process, String)>);

impl Crew {
    /// Opens tables of bots, starts processes that play them, and waits until these are at it.
    async fn start(
        args: &PeopleArgs,
        running: &mut Running,
        limit: &CpuLimit,
    ) -> Result<Crew, Trouble> {
        running.open_bots(args.bot_tables).await?;
        let server = running.site.servers.first();
        let server = server.ok_or_else(|| Trouble::wrong("there is no server"))?;
        let mut crew = Vec::new();
        for _ in 0..args.bot_processes {
            let metrics = format!("127.0.0.1:{}", handfoot_processes::free_port());
            let arguments = [
                "bots",
                "--",
                &format!("--servers=http://{}", server.address),
                &format!("--metrics-listen={metrics}"),
                "--seats=never",
                "--log=warn",
            ];
            let arguments = arguments.map(ToOwned::to_owned).to_vec();
            let credential = server.bot_credential.clone();
            let environment = vec![("HANDFOOT_BOT_CREDENTIAL".to_owned(), credential)];
            let process = own("the bots", arguments, environment)?;
            limit.add(&process)?;
            crew.push((process, metrics));
        }
        let crew = Crew(crew);
        crew.wait_until_begun(args).await?;
        Ok(crew)
    }

    async fn wait_until_begun(&self, args: &PeopleArgs) -> Result<(), Trouble> {
        let began = Instant::now();
        loop {
            let mut decisions = 0.0;
            for (_, metrics) in &self.0 {
                // It may not listen yet.
                let shown = Exposed::read(metrics).await.unwrap_or_default();
                decisions += shown.sum("handfoot_bot_decisions_total", "");
            }
            if decisions >= f64::from(args.bot_tables) {
                return Ok(());
            }
            if began.elapsed() > BEGUN_MAX {
                return Err(Trouble::wrong("bots did not begin"));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

/// What everybody showed at one moment.
struct Reading {
    at: Instant,
    server_cpu: f64,
    bot_cpu: f64,
    server: Exposed,
    bots: Vec<Exposed>,
}

impl Reading {
    async fn now(running: &Running, crew: Option<&Crew>) -> Result<Reading, Trouble> {
        let server = running.site.servers.first().and_then(|server| server.metrics.as_ref());
        let server = server.ok_or_else(|| Trouble::wrong("the server shows no metrics"))?;
        let server = Exposed::read(server).await?;
        let (mut bots, mut bot_cpu) = (Vec::new(), 0.0);
        for (process, metrics) in crew.iter().flat_map(|crew| &crew.0) {
            bots.push(Exposed::read(metrics).await?);
            bot_cpu += process.cpu_seconds()?;
        }
        let server_cpu = running.site.server_cpu_seconds()?;
        Ok(Reading { at: Instant::now(), server_cpu, bot_cpu, server, bots })
    }

    fn of_bots(&self, name: &str, label: &str) -> f64 {
        self.bots.iter().map(|shown| shown.sum(name, label)).sum()
    }
}

impl Bots {
    fn between(before: &Reading, after: &Reading) -> Bots {
        let seconds = (after.at - before.at).as_secs_f64();
        let more = |name, label| after.of_bots(name, label) - before.of_bots(name, label);
        let lag = |part| after.server.within(&before.server, "handfoot_bot_turn_lag_seconds", part);
        let decisions = "handfoot_bot_decisions_total";
        let late = more(decisions, "outcome=\"stale\"")
            + more("handfoot_bot_tasks_ended_early_total", "cause=\"lease_lost\"");
        Bots {
            cores: (after.bot_cpu - before.bot_cpu) / seconds,
            decisions_per_s: more(decisions, "") / seconds,
            lag_p50_s: lag(0.5),
            lag_p99_s: lag(0.99),
            tasks_open: after.of_bots("handfoot_bot_tasks_open", ""),
            tasks_max: after.of_bots("handfoot_bot_tasks_max", ""),
            refused: more(decisions, "outcome=\"refused\""),
            late,
        }
    }
}

fn table(args: &PeopleArgs, way: &str, all: &[Measured]) -> Result<(), Trouble> {
    say(&format!(
        "{} tables of people, 4 streams each, {} actions a second in all; {} tables of bots that \
         never pause, {} processes, limited by {way}\n",
        args.tables, args.rate, args.bot_tables, args.bot_processes
    ))?;
    say("| Cores of bots | people p50 us | p99 us | game-service cores | bots: cores used \
         | decisions/s | lag p50 s | lag p99 s | tasks open | late | refused |")?;
    say("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")?;
    all.iter().try_for_each(|measured| say(&row(measured)))
}

fn row(measured: &Measured) -> String {
    let Measured { bot_cores, p50_us, p99_us, server_cores, bots, .. } = measured;
    let cores = bot_cores.map_or("no bots".to_owned(), |cores| cores.to_string());
    let people = format!("| {cores} | {p50_us:.0} | {p99_us:.0} | {server_cores:.2} |");
    let Some(bots) = bots else {
        return format!("{people} – | – | – | – | – | – | – |");
    };
    let within = |bound: Option<f64>| bound.map_or("> 60".to_owned(), |s| format!("≤ {s}"));
    format!(
        "{people} {:.2} | {:.0} | {} | {} | {:.0} of {:.0} | {:.0} | {:.0} |",
        bots.cores,
        bots.decisions_per_s,
        within(bots.lag_p50_s),
        within(bots.lag_p99_s),
        bots.tasks_open,
        bots.tasks_max,
        bots.late,
        bots.refused,
    )
}
