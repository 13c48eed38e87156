//! `handfoot simulate`: many games on the bare engine, on one thread.
//!
//! **Invariant:** with the laws off the loop does nothing but choose, play and count. Equal
//! arguments give equal games, whether the laws are checked or not.

mod survey;

use std::sync::Arc;
use std::time::{Duration, Instant};

use handfoot_bots::{Casual, Chance, Level, Policy, Random};
use handfoot_engine::{Events, Game, LawBroken, Laws, Seed};
use handfoot_rules::Rules;
use handfoot_view::{Rejection, Seat};
use rand_core::{Rng, SeedableRng};

use crate::cli::{LawsChoice, SimulateArgs};
use crate::exit::{Exit, Stop, failed};
use crate::names::thousands;
use crate::out::Out;
use crate::report::RulesReport;
use crate::setup::{self, NamedRules};
use crate::tally::{Asked, Tally, TallyReport};

/// The table's name in commitments: nobody sees them here.
const TABLE_NAME: &str = "simulation";

/// How often the progress line is written.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// Keeps the chance of the laws apart from that of the games.
const LAWS_CHANCE: u64 = 0x6c61_7773;

/// Plays the games and prints what they come to.
pub(crate) fn run(args: &SimulateArgs) -> Result<Exit, Stop> {
    let level = setup::level(&args.policy)?;
    let mut out = Out::stdout();
    if args.every_table {
        return survey::run(args, level, &mut out);
    }
    let report = simulate(&setup::rules(&args.table)?, level, args)?;
    match args.json {
        true => out.json(&report)?,
        false => print(&mut out, &report)?,
    }
    Ok(Exit::Ok)
}

/// The games of one table.
fn simulate(named: &NamedRules, level: Level, args: &SimulateArgs) -> Result<TallyReport, Stop> {
    let started = Instant::now();
    let simulation = Simulation { rules: &named.rules, args, started };
    let tally = match level {
        Level::Random => simulation.games(&Random),
        Level::Casual => simulation.games(&Casual),
    }?;
    let asked = Asked {
        rules: RulesReport::of(named),
        policy: level.name(),
        seed: args.seed,
        laws: args.laws,
    };
    Ok(tally.report(asked, &named.rules, started.elapsed().as_secs_f64()))
}

struct Simulation<'a> {
    rules: &'a Arc<Rules>,
    args: &'a SimulateArgs,
    started: Instant,
}

/// How a game came to an end that it should not have.
enum Fault {
    /// The policy knows no action.
    NoAction(Seat),
    /// What the policy chose by the rules is refused by the rules.
    Refused(Rejection),
    /// A law is broken.
    Law(LawBroken),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::NoAction(seat) => write!(f, "progress: no action was found for seat {seat}"),
            Fault::Refused(rejection) => write!(f, "menu: a chosen action is refused: {rejection}"),
            Fault::Law(broken) => write!(f, "{broken}"),
        }
    }
}

impl Simulation<'_> {
    fn games<P: Policy>(&self, policy: &P) -> Result<Tally, Stop> {
        let mut tally = Tally::default();
        let first_dealer = self.args.options.first_dealer(self.rules)?;
        let mut chance = Chance::seed_from_u64(self.args.seed);
        let mut laws_chance = Chance::seed_from_u64(self.args.seed ^ LAWS_CHANCE);
        let mut events = match self.args.laws {
            LawsChoice::Off => Events::new(),
            LawsChoice::Every(_) => Events::checked(),
        };
        let mut progress = Progress::new(self.started);
        for game_index in 0..self.args.games.get() {
            progress.tell(game_index, self.args.games.get(), &tally)?;
            let seed = Seed::chosen(chance.next_u64());
            let options = self.args.options.table();
            events.clear();
            let rules = Arc::clone(self.rules);
            let mut game = Game::new(rules, options, TABLE_NAME, seed, first_dealer, &mut events);
            let before = tally.decisions;
            let mut watch = Watch::new(self.args.laws, &game, &mut laws_chance);
            let played = match events.fault() {
                Some(fault) => Err(Fault::Law(LawBroken::Position(fault))),
                None => play(&mut game, policy, &mut chance, &mut events, &mut watch, &mut tally),
            };
            if let Err(fault) = played {
                progress.clear()?;
                return Err(self.broken(game_index, tally.decisions - before, &game, &fault));
            }
            tally.games += 1;
            for result in game.history() {
                tally.count(result);
            }
        }
        progress.clear()?;
        Ok(tally)
    }

    /// Everything that is needed to see it again.
    fn broken(&self, game_index: u64, n_actions: u64, game: &Game, fault: &Fault) -> Stop {
        let record = game.record().map(|record| record.text().to_owned()).unwrap_or_default();
        let what = format!(
            "a law of the engine is broken: {fault}\n  seed {}, game {}, round {}, after {n_actions} \
             actions of the game, at event {}; the record of the game:\n{record}",
            self.args.seed,
            game_index + 1,
            game.public().round_index + 1,
            game.public().event_index,
        );
        let next = "to report it with all of the above; the record can be replayed: \
                    handfoot record replay FILE";
        failed(Exit::Internal, what, next)
    }
}

/// Plays one game to its end, counting the decisions.
fn play<P: Policy>(
    game: &mut Game,
    policy: &P,
    chance: &mut Chance,
    events: &mut Events,
    watch: &mut Watch<'_>,
    tally: &mut Tally,
) -> Result<(), Fault> {
    loop {
        events.clear();
        match game.public().to_act() {
            Some(seat) => {
                let action = policy.choose(game.view(seat).as_ref(), chance);
                let Some(action) = &action else { return Err(Fault::NoAction(seat)) };
                game.play(seat, action, events).map_err(Fault::Refused)?;
                tally.decisions += 1;
            }
            None if game.deal_next(&[], events).is_err() => return Ok(()),
            None => {}
        }
        watch.follow(game, events)?;
    }
}

/// The laws, if they are wanted.
struct Watch<'a> {
    laws: Option<(Laws, &'a mut Chance)>,
}

impl<'a> Watch<'a> {
    fn new(choice: LawsChoice, game: &Game, chance: &'a mut Chance) -> Watch<'a> {
        match choice {
            LawsChoice::Off => Watch { laws: None },
            LawsChoice::Every(number) => {
                Watch { laws: Some((Laws::new(game, number.get()), chance)) }
            }
        }
    }

    fn follow(&mut self, game: &Game, events: &Events) -> Result<(), Fault> {
        match &mut self.laws {
            Some((laws, chance)) => laws.follow(game, events, *chance).map_err(Fault::Law),
            None => Ok(()),
        }
    }
}

/// A line that says how far it is, for whoever looks.
struct Progress {
    out: Out,
    told: Instant,
}

impl Progress {
    fn new(now: Instant) -> Progress {
        Progress { out: Out::watched_stderr(), told: now }
    }

    fn tell(&mut self, done: u64, of: u64, tally: &Tally) -> Result<(), Stop> {
        if self.told.elapsed() < PROGRESS_EVERY {
            return Ok(());
        }
        self.told = Instant::now();
        let decisions = i64::try_from(tally.decisions).unwrap_or(i64::MAX);
        self.out.progress(&format!("game {done} of {of}, {} decisions", thousands(decisions)))
    }

    fn clear(&mut self) -> Result<(), Stop> {
        self.out.progress("")
    }
}

fn print(out: &mut Out, report: &TallyReport) -> Result<(), Stop> {
    let whole = |number: u64| thousands(i64::try_from(number).unwrap_or(i64::MAX));
    let rows = [
        ("games", whole(report.games)),
        ("rounds", whole(report.rounds)),
        ("turns", whole(report.turns)),
        ("decisions", whole(report.decisions)),
        ("rounds ended by going out", format!("{:.1} %", report.went_out_share * 100.0)),
        ("turns a round", format!("{:.1}", report.turns_per_round)),
        ("points of a team a round", thousands(rounded(report.mean_score))),
        ("clean books a round", format!("{:.2}", report.books_per_round.clean)),
        ("dirty books a round", format!("{:.2}", report.books_per_round.dirty)),
        ("wild books a round", format!("{:.2}", report.books_per_round.wild)),
        ("seconds", format!("{:.2}", report.seconds)),
        ("decisions a second", thousands(rounded(report.decisions_per_second))),
    ];
    out.headline(&format!(
        "{}, {} players, policy {}, seed {}, laws {}",
        report.rules.name, report.rules.players, report.policy, report.seed, report.laws
    ))?;
    for (name, value) in rows {
        out.line(format!("  {name:<26}{value:>14}"))?;
    }
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "means and rates are far below the limit")]
fn rounded(number: f64) -> i64 {
    number.round() as i64
}

#[cfg(test)]
mod tests {
    use handfoot_view::{Action, ViewRef};

    use super::*;
    use crate::cli::RulesChoice;
    use crate::options::OptionsChoice;

    /// Plays three actions and then knows no more.
    struct Tired(std::cell::Cell<u32>);

    impl Policy for Tired {
        fn choose(&self, view: ViewRef<'_>, chance: &mut Chance) -> Option<Action> {
            self.0.set(self.0.get() + 1);
            (self.0.get() <= 3).then(|| Random.choose(view, chance))?
        }
    }

    #[test]
    fn a_broken_law_is_told_with_all_that_is_needed_to_see_it_again() {
        let args = SimulateArgs {
            options: OptionsChoice::default(),
            table: RulesChoice { rules: "whitnack".to_owned(), players: None, team_size: None },
            every_table: false,
            policy: "random".to_owned(),
            games: std::num::NonZeroU64::MIN,
            seed: 5,
            laws: LawsChoice::Off,
            json: false,
        };
        let named = setup::rules(&args.table).unwrap();
        let simulation = Simulation { rules: &named.rules, args: &args, started: Instant::now() };
        let stop = simulation.games(&Tired(std::cell::Cell::new(0))).unwrap_err();
        let Stop::Failed(failure) = stop else { panic!("it fails aloud") };
        assert_eq!(failure.exit, Exit::Internal);
        for part in ["progress: no action", "seed 5, game 1, round 1, after 3 actions"] {
            assert!(failure.what.contains(part), "{part}: {}", failure.what);
        }
        let start = failure.what.find("handfoot record").unwrap();
        let record = handfoot_engine::GameRecord::parse(&failure.what[start..]).unwrap();
        let game = handfoot_engine::replay(&record).unwrap();
        assert_eq!(game.public().round_index, 0);
    }
}
