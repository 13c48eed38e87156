//! `handfoot serve`: the services on this machine, until a signal.
//!
//! **Invariant:** keys are printed once, to whoever started it. Without being told otherwise it is
//! reached from this machine alone.

use std::time::{Duration, Instant};

use handfoot_bot_service::Tally;
use handfoot_bots::Level;
use handfoot_game_service::server::Settings;
use handfoot_telemetry::{LogFilter, LogFormat, Logs, Program, Telemetry};
use serde::Serialize;

use crate::cli::ServeArgs;
use crate::exit::{Exit, Stop, failed};
use crate::local::{KeysLast, Local, Wanted, runtime, signals};
use crate::out::Out;
use crate::setup;

/// Signals so soon after the first one are the same one, sent to a whole group of processes.
const ECHO: Duration = Duration::from_millis(500);

/// What `--json` prints first.
#[derive(Serialize)]
struct Started<'a> {
    address: String,
    platform_token: &'a str,
    bot_token: &'a str,
    store: &'a str,
    /// Levels that bots play here.
    bots: Vec<&'static str>,
}

/// What `--json` prints last.
#[derive(Serialize)]
struct Stopped {
    signal: &'static str,
    decisions: u64,
    refused: u64,
    fallbacks: u64,
    failed: u64,
}

/// Serves until a signal comes.
pub(crate) fn run(args: &ServeArgs) -> Result<Exit, Stop> {
    let levels = args.bots.as_deref().map_or_else(|| Ok(Vec::new()), levels)?;
    if !args.allow_remote && !args.listen.ip().is_loopback() {
        let what = format!("{} can be reached from other machines", args.listen);
        let next = "--listen 127.0.0.1:50051, or --allow-remote: keys are sent unencrypted";
        return Err(failed(Exit::Usage, what, next));
    }
    let filter: LogFilter = args.log.parse().map_err(|_| {
        let next = "one of off, error, warn, info, debug, trace";
        failed(Exit::Usage, format!("no log level {:?}", args.log), next)
    })?;
    let program = Program { name: "handfoot", version: env!("CARGO_PKG_VERSION") };
    let logs = Logs { format: LogFormat::Pretty, filter };
    let telemetry = Telemetry::start(&program, &logs, None);
    let telemetry =
        telemetry.map_err(|problem| failed(Exit::Internal, problem.to_string(), "to report it"))?;
    let threads = runtime()?;
    let served = threads.block_on(serve(args, levels));
    telemetry.end(Duration::ZERO);
    threads.shutdown_background();
    served
}

/// The levels named, each once; all of them for `all`.
fn levels(text: &str) -> Result<Vec<Level>, Stop> {
    if text == "all" {
        return Ok(Level::ALL.to_vec());
    }
    let mut levels: Vec<Level> = text.split(',').map(setup::level).collect::<Result<_, _>>()?;
    levels.sort_unstable();
    levels.dedup();
    Ok(levels)
}

async fn serve(args: &ServeArgs, levels: Vec<Level>) -> Result<Exit, Stop> {
    let mut signals = signals()?;
    let wanted = Wanted {
        listen: args.listen,
        store: &args.store,
        keys_file: args.local_keys_file.as_deref(),
        drain: Settings::USUAL.drain,
    };
    let mut local = Local::start(&wanted).await?;
    if !levels.is_empty() {
        local.start_bots(levels.clone())?;
    }
    announce(args, &local, &levels)?;
    let signal = tokio::select! {
        signal = signals.next() => signal,
        stop = local.broken_down() => return Err(stop),
    };
    if !args.json {
        Out::stdout().line(format!("{signal}: ending"))?;
    }
    let told = Instant::now();
    let hurry = async {
        while told.elapsed() < ECHO {
            signals.next().await;
        }
    };
    let tally = tokio::select! {
        tally = local.stop() => tally?,
        // Somebody cannot wait; what was acknowledged is kept.
        () = hurry => return Ok(Exit::Interrupted),
    };
    conclude(args, signal, &tally)?;
    Ok(Exit::Ok)
}

/// Says where it is, and how to call it.
fn announce(args: &ServeArgs, local: &Local, levels: &[Level]) -> Result<(), Stop> {
    let (address, credentials) = (local.address().to_string(), local.credentials());
    let (platform, bot) = (credentials.platform.reveal(), credentials.bot.reveal());
    let bots: Vec<&str> = levels.iter().map(|level| level.name()).collect();
    let mut out = Out::stdout();
    if args.json {
        let store = &handfoot_store::shown(&args.store);
        return out.json_line(&Started {
            address,
            platform_token: platform,
            bot_token: bot,
            store,
            bots,
        });
    }
    out.headline(&format!("Hand and Foot is served on {address}"))?;
    out.line(format!("  tables:          {}", handfoot_store::shown(&args.store)))?;
    match bots.is_empty() {
        true => out.line("  bots:            none here; --bots lets some play")?,
        false => out.line(format!("  bots:            {}", bots.join(", ")))?,
    }
    out.line(format!("  platform token:  {platform}"))?;
    out.line(format!("  bot token:       {bot}"))?;
    match local.keys_last() {
        KeysLast::AsTables => {}
        KeysLast::Shorter => {
            out.line("  keys:            new at every start; --local-keys-file PATH keeps them")?;
        }
    }
    out.line("")?;
    out.line("A first call:")?;
    out.line(format!("  handfoot play --connect {address} --token {platform}"))?;
    out.line(format!("  grpcurl -plaintext -H 'authorization: Bearer {platform}' \\"))?;
    out.line("    -d '{\"request_id\": \"00000000-0000-4000-8000-000000000001\"}' \\")?;
    out.line(format!("    {address} handfoot.v1.TableService/CreateTable"))?;
    out.line("")?;
    out.line("ctrl-c ends it.")?;
    out.flush()
}

fn conclude(args: &ServeArgs, signal: &'static str, tally: &Tally) -> Result<(), Stop> {
    let mut out = Out::stdout();
    let Tally { decisions, refused, fallbacks, failed, .. } = *tally;
    match args.json {
        true => out.json_line(&Stopped { signal, decisions, refused, fallbacks, failed }),
        false => out.line(format!("ended; bots made {decisions} decisions, {refused} refused")),
    }
}
