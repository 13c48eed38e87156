//! `handfoot demo`: a whole game between bots, over the real services or on the bare engine.
//!
//! **Invariant:** equal rules, seed and bots print the same, but for the seconds and, over the
//! services, commitments, which name the table.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use handfoot_bots::Level;
use handfoot_client::PlayClient;
use handfoot_engine::GameRecord;
use handfoot_protocol::v1;
use handfoot_view::{Lays, PublicTable, RoundResult, ScoreSheet, Team};

use crate::calls::{self, Order, Sitter};
use crate::cli::DemoArgs;
use crate::exit::{Exit, Stop, failed};
use crate::gallery::Gallery;
use crate::local::{Local, Wanted, runtime, signals};
use crate::mirror::Mirror;
use crate::names::{counted, seats_of, team_name, thousands};
use crate::narrate::Narrator;
use crate::options::OptionsChoice;
use crate::out::Out;
use crate::report::{GameReport, RulesReport, SheetReport, level_names};
use crate::scores;
use crate::session::{Counts, Session};
use crate::setup::{self, NamedRules};

/// How long threads may take to let go of what they do, after everything has ended.
const THREADS_END_MAX: Duration = Duration::from_secs(1);

/// Plays and prints a game.
pub(crate) fn run(args: &DemoArgs) -> Result<Exit, Stop> {
    let named = setup::rules(&args.table)?;
    let levels = setup::levels(&args.bots, &named.rules)?;
    let seed = match args.seed {
        Some(seed) => seed,
        None => setup::random_seed()?,
    };
    if args.record.is_some() && !args.in_process && args.options.table().lays == Lays::Concealed {
        let what = "whoever watches does not see concealed lays, and so cannot record them";
        return Err(failed(Exit::Usage, what, "the same with --in-process"));
    }
    // Before the game, so that nobody watches one that cannot be kept.
    let record = args.record.as_deref().map(writable).transpose()?;
    let mut out = match args.json {
        true => Out::watched_stderr(),
        false => Out::stdout(),
    };
    let started = Instant::now();
    introduce(&mut out, args, &named, &levels, seed)?;
    let mut narrator = Narrator::new(out, &named.rules);
    let played = match args.in_process {
        true => on_the_engine(&named, args.options, seed, &levels, &mut narrator)?,
        false => {
            let keeping = match record {
                Some(_) => Keeping::Record,
                None => Keeping::Nothing,
            };
            over_services(&named, args.options, seed, &levels, &mut narrator, keeping)?
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    let (mut out, rounds) = narrator.finish();
    let table = &played.table;
    let sheet = ScoreSheet::of(&played.history, &[], &named.rules);
    let report = GameReport {
        rules: RulesReport::of(&named),
        seed,
        bots: level_names(&levels),
        sheet: SheetReport::of(&sheet, &rounds, &named.rules),
        actions: played.counts.actions,
        fallbacks: played.counts.fallbacks,
        seconds,
    };
    conclude(&mut out, &report, table, &named)?;
    out.line("")?;
    for line in scores::summary(&sheet, &named.rules) {
        out.line(line)?;
    }
    if let Some((mut file, path)) = record {
        keep(&mut file, path, played.record.as_ref())?;
        out.line(format!("The record is in {0}: handfoot record show {0}", path.display()))?;
    }
    if args.json {
        Out::stdout().json(&report)?;
    }
    Ok(Exit::Ok)
}

/// A game that was played to its end.
struct Played {
    table: PublicTable,
    history: Vec<RoundResult>,
    counts: Counts,
    record: Option<GameRecord>,
}

/// Whether a record is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeping {
    Nothing,
    Record,
}

/// Plays in this process, with nothing between bots and engine.
fn on_the_engine(
    named: &NamedRules,
    options: OptionsChoice,
    seed: u64,
    levels: &[Level],
    narrator: &mut Narrator<'_>,
) -> Result<Played, Stop> {
    let policies = levels.iter().map(|level| level.policy()).collect();
    let mut session = Session::new(&named.rules, options, seed, policies)?;
    session.play(narrator)?;
    let game = session.game();
    let (table, history) = (game.public().clone(), game.history().to_vec());
    Ok(Played { table, history, counts: session.counts(), record: game.record() })
}

/// Plays over the real services: game-service with its file store on a free port of this machine,
/// bot-service as its client.
fn over_services(
    named: &NamedRules,
    options: OptionsChoice,
    seed: u64,
    levels: &[Level],
    narrator: &mut Narrator<'_>,
    keeping: Keeping,
) -> Result<Played, Stop> {
    let folder = tempfile::Builder::new().prefix("handfoot-demo-").tempdir().map_err(|error| {
        let what = format!("no temporary folder can be made: {error}");
        failed(Exit::CannotWrite, what, "TMPDIR with a folder that has room, or --in-process")
    })?;
    let store = format!("file:{}?sync=os", folder.path().join("tables").display());
    let wanted = Wanted { store: &store, ..Wanted::PRIVATE };
    let threads = runtime()?;
    let played = threads.block_on(async {
        let mut signals = signals()?;
        tokio::select! {
            played = play(&wanted, named, options, seed, levels, narrator, keeping) => played,
            signal = signals.next() => {
                let what = format!("{signal} came before the end of the game");
                Err(failed(Exit::Interrupted, what, "the same again, with the same --seed"))
            }
        }
    });
    threads.shutdown_timeout(THREADS_END_MAX);
    played
}

async fn play(
    wanted: &Wanted<'_>,
    named: &NamedRules,
    options: OptionsChoice,
    seed: u64,
    levels: &[Level],
    narrator: &mut Narrator<'_>,
    keeping: Keeping,
) -> Result<Played, Stop> {
    let mut local = Local::start(wanted).await?;
    let platform = local.platform()?;
    let sitters: Vec<Sitter> = levels.iter().copied().map(Sitter::Bot).collect();
    let seat_order = v1::SeatOrder::AsSeated;
    let order = Order { rules: named, seed: Some(seed), options, seat_order, sitters: &sitters };
    let table_id = calls::open(&platform, &order).await?.table_id;
    let token = calls::token(&platform, &table_id, 0).await?;
    let client = PlayClient::with_rules(local.connection()?, token, Arc::clone(&named.rules));
    let mirror = match keeping {
        Keeping::Record => {
            let first = options.first_dealer(&named.rules)?;
            Some(Mirror::new(&named.rules, options.table(), first, &table_id, seed))
        }
        Keeping::Nothing => None,
    };
    let mut watching =
        Gallery::open(client, &named.rules, options.table(), narrator, mirror).await?;
    // Now that somebody looks.
    local.start_bots(Level::ALL.to_vec())?;
    watching.follow().await?;
    let (view, mut counts, mirror) = watching.finish();
    let (table, history) = (view.table, view.history);
    counts.fallbacks = local.stop().await?.fallbacks;
    Ok(Played { table, history, counts, record: mirror.and_then(|mirror| mirror.record()) })
}

/// Who plays what, and how to see it again.
fn introduce(
    out: &mut Out,
    args: &DemoArgs,
    named: &NamedRules,
    levels: &[Level],
    seed: u64,
) -> Result<(), Stop> {
    out.headline(&named.title)?;
    for team in Team::all(named.rules.teams()) {
        let seats: Vec<String> = seats_of(team, &named.rules)
            .map(|seat| format!("seat {seat} ({})", levels[seat.index()].name()))
            .collect();
        match named.rules.draft().team_size {
            1 => out.line(format!("  {}", seats.join(" and ")))?,
            _ => out.line(format!("  {}: {}", team_name(team, &named.rules), seats.join(", ")))?,
        }
    }
    for warning in &named.warnings {
        out.line(format!("  warning: {warning}"))?;
    }
    let mut again = "handfoot demo".to_owned();
    if args.table.rules != "whitnack" {
        again.push_str(&format!(" --rules {}", args.table.rules));
    }
    if let Some(players) = args.table.players {
        again.push_str(&format!(" --players {players}"));
    }
    if args.bots != "casual" {
        again.push_str(&format!(" --bots {}", args.bots));
    }
    again.push_str(&args.options.words());
    out.line(format!("  the same game again: {again} --seed {seed}"))?;
    out.line("")
}

/// The result.
fn conclude(
    out: &mut Out,
    report: &GameReport,
    table: &PublicTable,
    named: &NamedRules,
) -> Result<(), Stop> {
    let mut teams: Vec<Team> = Team::all(named.rules.teams()).collect();
    let total = |team: &Team| table.teams[team.index()].total;
    teams.sort_by_key(|team| std::cmp::Reverse(total(team)));
    out.headline("Result")?;
    for team in teams {
        let won = match report.sheet.winners.contains(&team.number()) {
            true if report.sheet.winners.len() > 1 => "  shares the win",
            true => "  wins",
            false => "",
        };
        let name = team_name(team, &named.rules);
        out.line(format!("  {name:<8}{:>10}{won}", thousands(i64::from(total(&team)))))?;
    }
    if report.fallbacks > 0 {
        let times = counted(usize::try_from(report.fallbacks).unwrap_or(usize::MAX), "time");
        out.line(format!("  a bot had no answer {times}; its first legal action was played"))?;
    }
    out.line(format!(
        "  {}, {} turns, {} actions in {:.3} seconds",
        counted(report.sheet.rounds.len(), "round"),
        thousands(report.sheet.turns.into()),
        thousands(i64::try_from(report.actions).unwrap_or(i64::MAX)),
        report.seconds,
    ))
}

/// A file that can be written; what is in it stays until there is something new.
fn writable(path: &Path) -> Result<(File, &Path), Stop> {
    let opened = OpenOptions::new().create(true).write(true).truncate(false).open(path);
    opened.map(|file| (file, path)).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Stop {
    failed(
        Exit::CannotWrite,
        format!("{} cannot be written: {error}", path.display()),
        "--record with a path in a folder that exists and may be written",
    )
}

fn keep(file: &mut File, path: &Path, record: Option<&GameRecord>) -> Result<(), Stop> {
    let Some(kept) = record else { return Ok(()) };
    let written = file.set_len(0).and_then(|()| file.write_all(kept.text().as_bytes()));
    written.map_err(|error| cannot_write(path, &error))
}
