//! Plays a case and compares.
//!
//! **Invariant:** beside what a case asks, this is asked of every step: a refused action changes
//! nothing, an accepted one leaves a position that breaks no law and reads back from its text.

use std::sync::Arc;

use handfoot_cards::Card;
use handfoot_engine::{Events, Game, Seed, Viewer};
use handfoot_rules::{Choice, RuleFile, Rules, RulesDraft};
use handfoot_view::notation::{read_action, write_event};
use handfoot_view::{Action, Lay, Rejection, Seat, TableOptions, Target, ViewRef, judge, list};

use super::Failure;
use super::expect;
use super::flip;
use super::parse::{Case, Refused, Step, Wanted, What, short};

/// The preset of a case that names none.
const PRESET_DEFAULT: &str = "whitnack";

/// What came of a case.
pub(super) struct Outcome {
    pub(super) n_checks: usize,
    /// Choices whose flip changed what came of the case.
    pub(super) flipped: Vec<Choice>,
    pub(super) failure: Option<Failure>,
}

pub(super) fn case(case: &Case) -> Outcome {
    let (mut n_checks, mut flipped) = (0, Vec::new());
    let failure = run(case, &mut n_checks, &mut flipped).err();
    Outcome { n_checks, flipped, failure }
}

fn run(case: &Case, n_checks: &mut usize, flipped: &mut Vec<Choice>) -> Result<(), Failure> {
    let at_start = |what| Failure { line: case.line, what };
    let draft = draft(case).map_err(at_start)?;
    let base = validated(draft.clone()).map_err(at_start)?;
    *n_checks += steps(case, &base, &case.steps)?;
    for flip in &case.flips {
        flipped.extend(flip::run(case, (&draft, &base), flip, n_checks)?);
    }
    Ok(())
}

/// Plays steps from the case's beginning under these rules; gives how many there were.
pub(super) fn steps(case: &Case, rules: &Arc<Rules>, steps: &[Step]) -> Result<usize, Failure> {
    let (game, rules) = (start(case, rules)?, Arc::clone(rules));
    let mut player = Player { game, rules, told: Vec::new(), events_read: 0 };
    for step in steps {
        player.step(step).map_err(|what| Failure { line: step.line, what })?;
    }
    Ok(steps.len())
}

/// The rules of a case: a preset at a table, and what the case changes.
fn draft(case: &Case) -> Result<RulesDraft, String> {
    let mut words = case.rule_set.iter().map(String::as_str);
    let preset = words.next().unwrap_or(PRESET_DEFAULT);
    if !preset.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Err(format!("expected a preset after rules, found {}", short(preset)));
    }
    let mut number = |what: &str| match words.next().map(str::parse) {
        None => Ok(None),
        Some(Ok(number)) => Ok(Some(number)),
        Some(Err(_)) => Err(format!("expected {what} after the preset")),
    };
    let (players, team_size) = (number("a number of players")?, number("a team size")?);
    let text = format!("base = \"{preset}\"\n[rules]\n{}", case.overrides);
    let file = RuleFile::parse(&text).map_err(|problems| first(&problems))?;
    file.draft(players, team_size).map_err(|error| error.to_string())
}

pub(super) fn validated(draft: RulesDraft) -> Result<Arc<Rules>, String> {
    let validated = Rules::new(draft).map_err(|problems| first(&problems))?;
    Ok(Arc::new(validated.rules))
}

pub(super) fn first<T: std::fmt::Display>(problems: &[T]) -> String {
    problems
        .first()
        .map_or("the rules cannot be read".to_owned(), |first| format!("rules: {first}"))
}

fn start(case: &Case, rules: &Arc<Rules>) -> Result<Game, Failure> {
    let Some(words) = &case.deal else {
        return Game::from_position(Arc::clone(rules), &case.position).map_err(|error| Failure {
            line: if error.line == 0 { case.line } else { error.line },
            what: error.problem.to_string(),
        });
    };
    const DEAL: &str = "expected deal seed and a number, then perhaps dealer and a seat";
    let malformed = || Failure { line: case.line, what: DEAL.to_owned() };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (seed, dealer) = match words.as_slice() {
        ["seed", seed] => (seed, None),
        ["seed", seed, "dealer", dealer] => (seed, Some(*dealer)),
        _ => return Err(malformed()),
    };
    let dealer = match dealer.map(|number| seat(number, rules)) {
        None => None,
        Some(Ok(seat)) => Some(seat),
        Some(Err(_)) => return Err(malformed()),
    };
    let seed = Seed::chosen(seed.parse().map_err(|_| malformed())?);
    let options = TableOptions::default();
    let mut events = Events::new();
    Ok(Game::new(Arc::clone(rules), options, "conformance", seed, dealer, &mut events))
}

/// A seat of the table by its number.
pub(super) fn seat(number: &str, rules: &Rules) -> Result<Seat, String> {
    let seat = number.parse().ok().and_then(Seat::from_number);
    seat.filter(|seat| seat.index() < rules.seats())
        .ok_or_else(|| format!("expected a seat, 1 to {}, found {}", rules.seats(), short(number)))
}

struct Player {
    game: Game,
    rules: Arc<Rules>,
    /// The events of the last action, as its seat knows them, a line each.
    told: Vec<String>,
    /// Events that steps have asked for so far: the next must come later.
    events_read: usize,
}

impl Player {
    fn step(&mut self, step: &Step) -> Result<(), String> {
        match &step.what {
            What::Do { seat, action, refused } => self.act(seat, action, refused.as_ref()),
            What::DealNext => {
                let mut events = Events::new();
                self.game.deal_next(&[], &mut events).map_err(|refused| self.said(&refused))?;
                self.tell(&events, Viewer::Spectator);
                Ok(())
            }
            What::Accepted => Ok(()),
            What::Event { line, wanted } => self.event(line, *wanted),
            What::Expect(fact) => expect::fact(&self.game, fact),
            What::Check { seat, action, refused } => {
                let (seat, action) = self.action(seat, action)?;
                let judged = judge(self.view(seat), &action);
                self.compare(judged, refused.as_ref())
            }
            What::Listed { seat, action, wanted } => self.listed(seat, action, *wanted),
        }
    }

    fn view(&self, seat: Seat) -> ViewRef<'_> {
        self.game.view(seat).as_ref()
    }

    fn action(&self, number: &str, action: &str) -> Result<(Seat, Action), String> {
        let seat = seat(number, &self.rules)?;
        match read_action(action, self.view(seat)) {
            Ok(action) => Ok((seat, action)),
            Err(error) => Err(format!("the action {}: {error}", short(action))),
        }
    }

    fn act(&mut self, seat: &str, action: &str, refused: Option<&Refused>) -> Result<(), String> {
        let (seat, action) = self.action(seat, action)?;
        let before = self.game.position();
        let mut events = Events::new();
        let judged = self.game.play(seat, &action, &mut events);
        let was_refused = judged.is_err();
        self.compare(judged, refused)?;
        if was_refused && self.game.position() != before {
            return Err("the action was refused and changed the position".to_owned());
        }
        self.tell(&events, Viewer::Seat(seat));
        self.game.check().map_err(|fault| format!("the position breaks a law: {fault}"))?;
        self.reads_back()
    }

    /// The position as text is the same position.
    fn reads_back(&self) -> Result<(), String> {
        let text = self.game.position();
        let again = Game::from_position(Arc::clone(&self.rules), text.reveal())
            .map_err(|error| format!("the position does not read back: {error}"))?;
        match again.position() == text {
            true => Ok(()),
            false => Err("the position reads back as another".to_owned()),
        }
    }

    fn tell(&mut self, events: &Events, viewer: Viewer) {
        let pack = self.rules.pack();
        self.told = events.seen_by(viewer).map(|seen| write_event(seen.event(), pack)).collect();
        self.events_read = 0;
    }

    fn compare(
        &self,
        judged: Result<(), Rejection>,
        refused: Option<&Refused>,
    ) -> Result<(), String> {
        match (judged, refused) {
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(refused)) => {
                let wanted = refused.reason.as_deref().unwrap_or("that it is refused");
                Err(format!("expected {wanted}, found that it is legal"))
            }
            (Err(rejection), None) => {
                Err(format!("expected that it is legal, found {}", self.said(&rejection)))
            }
            (Err(rejection), Some(refused)) => {
                let values = rejection.values(self.rules.pack());
                let is_same = |(name, value): &(String, String)| {
                    values.iter().any(|(found, is)| found == name && is == value)
                };
                let Some(reason) = &refused.reason else { return Ok(()) };
                match rejection.reason() == reason && refused.values.iter().all(is_same) {
                    true => Ok(()),
                    false => {
                        let wanted: Vec<String> =
                            refused.values.iter().map(|(n, v)| format!(" {n}={v}")).collect();
                        let found = self.said(&rejection);
                        Err(format!("expected {reason}{}, found {found}", wanted.concat()))
                    }
                }
            }
        }
    }

    /// A refusal as a case would write it.
    fn said(&self, rejection: &Rejection) -> String {
        let values = rejection.values(self.rules.pack());
        let values: Vec<String> = values.iter().map(|(n, v)| format!(" {n}={v}")).collect();
        format!("{}{}", rejection.reason(), values.concat())
    }

    fn event(&mut self, line: &str, wanted: Wanted) -> Result<(), String> {
        let first = if wanted == Wanted::Yes { self.events_read } else { 0 };
        let found = self.told[first..].iter().position(|told| begins_with(told, line));
        match (found, wanted) {
            (Some(at), Wanted::Yes) => {
                self.events_read = first + at + 1;
                Ok(())
            }
            (None, Wanted::No) => Ok(()),
            (None, Wanted::Yes) => Err(format!(
                "expected the event {}, found {}",
                short(line),
                self.told[first..].join(" | ")
            )),
            (Some(_), Wanted::No) => Err(format!("expected no event {}", short(line))),
        }
    }

    fn listed(&self, seat: &str, action: &str, wanted: Wanted) -> Result<(), String> {
        let (seat, action) = self.action(seat, action)?;
        let mut actions = Vec::new();
        list(self.view(seat), &mut actions);
        let is_listed = actions.iter().any(|listed| is_same(listed, &action));
        match is_listed == (wanted == Wanted::Yes) {
            true => Ok(()),
            false if is_listed => Err("the action is among those listed".to_owned()),
            false => Err(format!("the action is not among the {} listed", actions.len())),
        }
    }
}

/// Whether a line begins with these words.
pub(super) fn begins_with(line: &str, words: &str) -> bool {
    let mut line = line.split_whitespace();
    words.split_whitespace().all(|word| line.next() == Some(word))
}

/// Whether two actions do the same: the order of cards and of melds is not shown at a table.
fn is_same(a: &Action, b: &Action) -> bool {
    match (a, b) {
        (Action::TakeDiscards(a), Action::TakeDiscards(b)) | (Action::Lay(a), Action::Lay(b)) => {
            sorted(Some(a)) == sorted(Some(b))
        }
        (Action::AskToGoOut(a), Action::AskToGoOut(b)) => {
            sorted(a.take.as_ref()) == sorted(b.take.as_ref())
                && sorted(a.lay.as_ref()) == sorted(b.lay.as_ref())
                && a.discard == b.discard
        }
        (a, b) => a == b,
    }
}

fn sorted(lay: Option<&Lay>) -> Vec<(Target, Vec<Card>)> {
    let mut parts = Vec::new();
    for placement in lay.into_iter().flat_map(Lay::placements) {
        let mut cards = placement.cards.to_vec();
        cards.sort();
        parts.push((placement.target, cards));
    }
    parts.sort();
    parts
}
