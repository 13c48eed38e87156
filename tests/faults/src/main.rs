//! `handfoot-faults`: what is left of games when the processes around them are killed, stopped,
//! cut off and lied to.
//!
//! Redis, the game-services and the bot-services are processes of their own. Bots and people play
//! while a scenario does its harm; then everything that anybody was told is held against what is
//! stored.
//!
//! **Invariant:** this program knows the services by their API, their configuration and their
//! store alone.

mod cli;
mod crowd;
mod evidence;
mod figures;
mod house;
mod ledger;
mod out;
mod programs;
mod proxy;
mod raw;
mod scenario;
mod scenarios;
mod setting;
mod trouble;
mod verdict;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use crate::cli::{CheckArgs, Cli, Command, Common, RunArgs};
use crate::out::{progress, report, say};
use crate::programs::Programs;
use crate::scenarios::{ALL, Scenario};
use crate::setting::{Chance, Setting, Size, pick};
use crate::trouble::Trouble;

/// Scenarios of the short form that the seed chooses, beside those that are always there.
const CHOSEN: usize = 3;

/// How it went.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Everything held.
    Held,
    /// A promise was broken.
    Broken,
    /// Something could not be tried.
    Failed,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::List => list().map(|()| Outcome::Held),
        Command::Check(args) => check(&args),
        Command::Run(args) => run(&args),
    };
    match done {
        Ok(Outcome::Held) => ExitCode::SUCCESS,
        Ok(Outcome::Broken) => ExitCode::from(1),
        Ok(Outcome::Failed) => ExitCode::from(3),
        Err(trouble) => {
            progress(&format!("handfoot-faults: {trouble}"));
            match trouble {
                Trouble::NoScenario { .. } => ExitCode::from(2),
                Trouble::System { .. }
                | Trouble::Process(_)
                | Trouble::Programs(_)
                | Trouble::Missing { .. }
                | Trouble::Call { .. }
                | Trouble::Open(_)
                | Trouble::Store(_)
                | Trouble::Late(_)
                | Trouble::Interrupted
                | Trouble::Own(_) => ExitCode::from(3),
            }
        }
    }
}

fn list() -> Result<(), Trouble> {
    for Scenario { name, about, .. } in ALL {
        say(name)?;
        say(&format!("    {about}"))?;
    }
    Ok(())
}

/// The scenarios of these names.
fn named(names: &[String]) -> Result<Vec<&'static Scenario>, Trouble> {
    let find = |name: &String| ALL.iter().find(|scenario| scenario.name == name);
    let no_scenario = |name: &String| Trouble::NoScenario { name: name.clone() };
    names.iter().map(|name| find(name).ok_or_else(|| no_scenario(name))).collect()
}

/// Those that every short form has, and some that the seed chooses.
fn selection(chance: &mut Chance) -> Vec<&'static Scenario> {
    let mut chosen: Vec<&Scenario> = ALL.iter().filter(|scenario| scenario.is_core()).collect();
    let mut rest: Vec<&Scenario> = ALL.iter().filter(|scenario| scenario.is_short()).collect();
    for _ in 0..CHOSEN.min(rest.len()) {
        chosen.push(rest.swap_remove(pick(chance, rest.len())));
    }
    chosen
}

fn check(args: &CheckArgs) -> Result<Outcome, Trouble> {
    let named = named(&args.names)?;
    let setting = setting(&args.common, args.tables, Size::Short)?;
    let chosen = match named.is_empty() {
        true => selection(&mut setting.chance(0)),
        false => named,
    };
    try_all(&args.common, &setting, &chosen)
}

fn run(args: &RunArgs) -> Result<Outcome, Trouble> {
    let named = named(&args.names)?;
    let setting = setting(&args.common, args.tables, Size::Long)?;
    let chosen = if named.is_empty() { ALL.iter().collect() } else { named };
    try_all(&args.common, &setting, &chosen)
}

fn setting(common: &Common, tables: u16, size: Size) -> Result<Setting, Trouble> {
    let programs = Programs::find(common.programs.as_deref())?;
    let Common { seed, keep, .. } = *common;
    Ok(Setting { seed, tables: usize::from(tables), size, programs, keep })
}

fn try_all(common: &Common, setting: &Setting, chosen: &[&Scenario]) -> Result<Outcome, Trouble> {
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    let threads = threads.enable_all().build().map_err(Trouble::system("starting threads"))?;
    let mut worst = Outcome::Held;
    for (number, scenario) in (1..).zip(chosen) {
        progress(&format!("{number} of {}: {}", chosen.len(), scenario.name));
        let began = Instant::now();
        let tried = threads.block_on(async {
            tokio::select! {
                tried = (scenario.run)(setting) => tried,
                // Everything that was started ends with what is dropped here.
                _ = tokio::signal::ctrl_c() => Err(Trouble::Interrupted),
            }
        });
        report(scenario.name, &tried, began.elapsed(), common)?;
        worst = worst.max(match &tried {
            Ok(tried) if tried.findings.is_empty() => Outcome::Held,
            Ok(_) => Outcome::Broken,
            Err(Trouble::Interrupted) => return Ok(Outcome::Failed),
            Err(Trouble::Missing { .. }) if !is_ci() => Outcome::Held,
            Err(_) => Outcome::Failed,
        });
    }
    Ok(worst)
}

/// Whether what is missing is a failure.
fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true")
}
