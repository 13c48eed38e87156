//! What happened at the table, told to the person who sits there.
//!
//! **Invariant:** told is what the person's seat was sent. One line tells what one seat did without
//! a break.

use handfoot_client::Known;
use handfoot_rules::Rules;
use handfoot_view::notation::write_action;
use handfoot_view::{
    Action, Answer, Concealed, DrawCause, Event, Lay, RoundEnd, RoundResult, Seat, Team, ToFoot,
};

use super::player_name;
use crate::exit::Stop;
use crate::names::{
    counted, opening_words, refill_words, removed_words, seats_of, stock_end_words, team_name,
};
use crate::out::Out;
use crate::sheet::sheet;

/// Tells one person.
#[derive(Default)]
pub(super) struct Teller {
    /// Who did what is not printed yet.
    line: Option<(Seat, Vec<String>)>,
    /// Cards that taking the discard pile would have brought before the commit being told.
    take_count: usize,
    seat: Option<Seat>,
}

impl Teller {
    /// Says who sits where.
    pub(super) fn begin(&mut self, out: &mut Out, known: &Known, seat: Seat) -> Result<(), Stop> {
        self.seat = Some(seat);
        self.note(known);
        out.headline("Hand and Foot")?;
        for team in Team::all(known.rules.teams()) {
            let seats: Vec<String> = seats_of(team, &known.rules)
                .map(|other| match other == seat {
                    true => format!("seat {other} (you)"),
                    false => {
                        let number = u32::try_from(other.number()).unwrap_or_default();
                        let player = known.players.iter().find(|player| player.seat == number);
                        format!("seat {other} ({})", player_name(player))
                    }
                })
                .collect();
            match known.rules.draft().team_size {
                1 => out.line(format!("  {}", seats.join(" and ")))?,
                _ => {
                    out.line(format!("  {}: {}", team_name(team, &known.rules), seats.join(", ")))?;
                }
            }
        }
        out.line("  help shows what can be typed")?;
        round_headline(out, known)
    }

    /// Remembers how the table is before the next commit.
    pub(super) fn note(&mut self, known: &Known) {
        self.take_count = known.view.table.take_count(&known.rules);
    }

    /// Tells an event of the round that has begun, of which the table before it is not known.
    pub(super) fn tell_again(
        &mut self,
        out: &mut Out,
        known: &Known,
        event: &Event,
    ) -> Result<(), Stop> {
        if let Event::RoundBegan { .. } = event {
            return Ok(());
        }
        let take_count = std::mem::take(&mut self.take_count);
        let told = self.tell(out, known, event);
        self.take_count = take_count;
        told
    }

    /// Tells an event; `known` is the table after its commit.
    pub(super) fn tell(&mut self, out: &mut Out, known: &Known, event: &Event) -> Result<(), Stop> {
        let rules = &known.rules;
        match event {
            Event::RoundBegan { .. } => {
                self.rest(out)?;
                round_headline(out, known)
            }
            Event::HandDealt { .. } | Event::TurnBegan { .. } => Ok(()),
            Event::Drew { seat, cards, cause } => {
                let (cards, why) = (faces(cards, rules), why_drawn(*cause));
                self.add(out, *seat, format!("{} {cards}{why}", self.verb(*seat, "draw")))
            }
            Event::RedThreesLaid { seat, cards } => {
                let cards = rules.pack().write(cards).to_string();
                self.add(out, *seat, format!("{} down {cards}", self.verb(*seat, "lay")))
            }
            Event::DiscardsTaken { seat, lay } => {
                let (take, with) = (self.verb(*seat, "take"), lay_words(lay, rules));
                self.add(out, *seat, format!("{take} {} with {with}", self.discards_taken()))
            }
            Event::Laid { seat, lay } => {
                let text = format!("{} {}", self.verb(*seat, "lay"), lay_words(lay, rules));
                self.add(out, *seat, text)
            }
            Event::LaysUndone { seat, acts } => {
                let lays = counted(usize::from(*acts), "lay");
                self.add(out, *seat, format!("{} back {lays}", self.verb(*seat, "take")))
            }
            Event::LaidConcealed { seat, lay } => {
                let text = unseen_words(lay.as_ref(), rules);
                self.add(out, *seat, format!("{} {text}", self.verb(*seat, "lay")))
            }
            Event::LaysShown { seat, lays } => self.lays_shown(out, *seat, lays, rules),
            Event::UndoAsked { seat, acts, .. } => {
                let lays = counted(usize::from(*acts), "lay");
                self.add(out, *seat, format!("{} to take back {lays}", self.verb(*seat, "ask")))
            }
            Event::FootTakenUp { seat, how, .. } => {
                let how = foot_words(*how);
                self.add(out, *seat, format!("{} up the foot{how}", self.verb(*seat, "take")))
            }
            Event::AskedToGoOut { seat, answering } => {
                let text = format!("{} seat {answering} to go out", self.verb(*seat, "ask"));
                self.add(out, *seat, text)
            }
            Event::Answered { seat, answer, .. } | Event::UndoAnswered { seat, answer, .. } => {
                let answer = answer_word(*answer);
                self.add(out, *seat, format!("{} {answer}", self.verb(*seat, "answer")))
            }
            Event::Discarded { seat, card } => {
                let card = rules.pack().card_name(*card).to_string();
                self.add(out, *seat, format!("{} {card}", self.verb(*seat, "discard")))
            }
            Event::TurnPassed { seat } => {
                let text = format!("{} the turn without a discard", self.verb(*seat, "end"));
                self.add(out, *seat, text)
            }
            Event::Lifted { seat, cards } => {
                let cards = counted(usize::from(cards.get()), "card");
                self.add(out, *seat, format!("lifted {cards}"))
            }
            Event::DiscardsRemoved { count } => self.tell_all(out, &removed_words(*count)),
            Event::StockRefilled { from, count } => {
                self.tell_all(out, &refill_words(*from, *count))
            }
            Event::RoundEnded { result } => self.round_ended(out, known, result),
        }
    }

    /// The cards of the discard pile that were taken.
    fn discards_taken(&self) -> String {
        match self.take_count {
            0 => "discards".to_owned(),
            count => counted(count, "discard"),
        }
    }

    /// What no seat did.
    fn tell_all(&mut self, out: &mut Out, text: &str) -> Result<(), Stop> {
        self.rest(out)?;
        out.line(format!("  {text}"))
    }

    /// Tells what a seat had laid unseen; the seat itself knows.
    fn lays_shown(
        &mut self,
        out: &mut Out,
        seat: Seat,
        lays: &[Lay],
        rules: &Rules,
    ) -> Result<(), Stop> {
        if lays.is_empty() {
            return Ok(());
        }
        let words: Vec<String> = lays.iter().map(|lay| lay_words(lay, rules)).collect();
        self.add(out, seat, format!("{} {}", self.verb(seat, "show"), words.join("; ")))
    }

    /// Prints what is not printed yet.
    pub(super) fn rest(&mut self, out: &mut Out) -> Result<(), Stop> {
        let Some((seat, parts)) = self.line.take() else { return Ok(()) };
        let name = match self.seat == Some(seat) {
            true => "you".to_owned(),
            false => format!("seat {seat}"),
        };
        out.line(format!("  {name:<7} {}", parts.join(", ")))
    }

    fn add(&mut self, out: &mut Out, seat: Seat, part: String) -> Result<(), Stop> {
        match &mut self.line {
            Some((same, parts)) if *same == seat => {
                parts.push(part);
                Ok(())
            }
            Some(_) | None => {
                self.rest(out)?;
                self.line = Some((seat, vec![part]));
                Ok(())
            }
        }
    }

    /// A verb as it goes with the name.
    fn verb(&self, seat: Seat, verb: &str) -> String {
        match self.seat == Some(seat) {
            true => verb.to_owned(),
            false => format!("{verb}s"),
        }
    }

    fn round_ended(
        &mut self,
        out: &mut Out,
        known: &Known,
        result: &RoundResult,
    ) -> Result<(), Stop> {
        match result.how {
            RoundEnd::WentOut(seat) => {
                let text = match self.seat == Some(seat) {
                    true => "go out",
                    false => "goes out",
                };
                self.add(out, seat, text.to_owned())?;
            }
            RoundEnd::StockRanOut(seat) => {
                let text = stock_end_words(&known.view.table, &known.rules);
                self.add(out, seat, text.to_owned())?;
            }
        }
        self.rest(out)?;
        out.line("")?;
        out.headline(&format!("Round {} is over", result.round_index + 1))?;
        for line in sheet(result, &known.view.table, &known.rules) {
            out.line(line)?;
        }
        out.line("")
    }
}

const fn foot_words(how: ToFoot) -> &'static str {
    match how {
        ToFoot::Ran => " and play on",
        ToFoot::Walked => "",
        ToFoot::AtTurnEnd => " for the next turn",
    }
}

const fn why_drawn(cause: DrawCause) -> &'static str {
    match cause {
        DrawCause::DrawStep => "",
        DrawCause::Replacement => " for red threes",
    }
}

const fn answer_word(answer: Answer) -> &'static str {
    match answer {
        Answer::Yes => "yes",
        Answer::No => "no",
    }
}

fn round_headline(out: &mut Out, known: &Known) -> Result<(), Stop> {
    let (table, rules) = (&known.view.table, &known.rules);
    let number = table.round_index + 1;
    let of = rules.draft().length.rounds.map_or(String::new(), |rounds| format!(" of {rounds}"));
    let minimum = opening_words(table, rules);
    out.headline(&format!("Round {number}{of}: {minimum}"))
}

/// Cards that others do not see yet, as whoever is told knows them.
fn unseen_words(lay: Option<&Lay>, rules: &Rules) -> String {
    match lay {
        Some(lay) => format!("{}, which others do not see yet", lay_words(lay, rules)),
        None => "something that is not shown yet".to_owned(),
    }
}

fn faces(cards: &Concealed, rules: &Rules) -> String {
    match cards {
        Concealed::Faces(cards) => rules.pack().write(cards).to_string(),
        Concealed::Backs(count) => counted(usize::from(*count), "card"),
    }
}

/// What was laid and where, as it could be typed.
fn lay_words(lay: &Lay, rules: &Rules) -> String {
    let text = write_action(&Action::Lay(lay.clone()), rules.pack());
    text.strip_prefix("lay ").unwrap_or(&text).to_owned()
}
