//! A game told while it is played: a line for what is worth telling, a sheet for each round.
//!
//! **Invariant:** told is only what a spectator sees.

use handfoot_cards::{Card, Cards};
use handfoot_rules::{MeldKind, Rules};
use handfoot_view::notation::hex_text;
use handfoot_view::{
    Answer, Event, Lay, MeldId, MeldRank, MeldShape, PublicTable, RoundEnd, RoundResult, Seat,
    Target, Team, ToFoot,
};

use crate::exit::Stop;
use crate::names::{
    books_text, counted, opening_words, refill_words, removed_words, stock_end_words, team_name,
};
use crate::out::Out;
use crate::report::WatchedReport;
use crate::session::{Counts, Watcher};
use crate::sheet::sheet;

/// Laps after which it is told how the table stands.
const LAPS_BETWEEN_STATUS: u16 = 6;

/// Tells a game and keeps what a report needs.
pub(crate) struct Narrator<'a> {
    out: Out,
    rules: &'a Rules,
    before: Before,
    /// The turn and the seat of the line told last.
    told: Option<(u16, Seat)>,
    rounds: Vec<WatchedReport>,
}

/// What an event's line needs to know of the table before it.
#[derive(Default)]
struct Before {
    had_opened: bool,
    take_count: usize,
    books: Vec<MeldId>,
}

impl Watcher for Narrator<'_> {
    fn before(&mut self, table: &PublicTable, event: &Event) -> Result<(), Stop> {
        if let Event::DiscardsTaken { seat, .. }
        | Event::Laid { seat, .. }
        | Event::LaysShown { seat, .. } = event
        {
            let team = &table.teams[table.team_of(*seat).index()];
            self.before = Before {
                had_opened: team.has_opened(),
                take_count: table.take_count(self.rules),
                books: self.books(table, *seat).map(|(id, _)| id).collect(),
            };
        }
        Ok(())
    }

    fn after(&mut self, table: &PublicTable, event: &Event, counts: Counts) -> Result<(), Stop> {
        match event {
            Event::RoundBegan { .. } => self.round_began(table),
            Event::TurnBegan { .. } => self.status(table),
            Event::DiscardsTaken { seat, lay } => {
                let count = self.before.take_count;
                let took = match count {
                    1 => "takes the upcard".to_owned(),
                    _ => format!("takes {count} discards"),
                };
                let more = self.lay_text(table, *seat, std::slice::from_ref(lay));
                self.tell(table, *seat, std::iter::once(took).chain(more))
            }
            Event::Laid { seat, lay } => {
                let parts = self.lay_text(table, *seat, std::slice::from_ref(lay));
                self.tell(table, *seat, parts.into_iter())
            }
            Event::LaysShown { seat, lays } => {
                let parts = self.lay_text(table, *seat, lays);
                self.tell(table, *seat, parts.into_iter())
            }
            Event::UndoAsked { seat, .. } => self.tell_one(table, *seat, "asks to take back lays"),
            Event::FootTakenUp { seat, how, .. } => {
                let text = match how {
                    ToFoot::Ran => "takes up the foot and plays on",
                    ToFoot::Walked => "takes up the foot",
                    ToFoot::AtTurnEnd => "takes up the foot for the next turn",
                };
                self.tell_one(table, *seat, text)
            }
            Event::AskedToGoOut { seat, .. } => self.tell_one(table, *seat, "asks to go out"),
            Event::Answered { seat, answer, .. } | Event::UndoAnswered { seat, answer, .. } => {
                let text = match answer {
                    Answer::Yes => "says yes",
                    Answer::No => "says no",
                };
                self.tell_one(table, *seat, text)
            }
            Event::TurnPassed { seat } => {
                self.tell_one(table, *seat, "ends the turn without a discard")
            }
            Event::Lifted { seat, cards } => self.tell_one(
                table,
                *seat,
                &format!("lifted {}", counted(usize::from(cards.get()), "card")),
            ),
            Event::DiscardsRemoved { count } => {
                self.out.line(format!("  {}", removed_words(*count)))
            }
            Event::StockRefilled { from, count } => {
                self.out.line(format!("  {}", refill_words(*from, *count)))
            }
            Event::RoundEnded { result } => self.round_ended(table, result, counts),
            Event::HandDealt { .. }
            | Event::LaidConcealed { .. }
            | Event::Drew { .. }
            | Event::RedThreesLaid { .. }
            | Event::LaysUndone { .. }
            | Event::Discarded { .. } => Ok(()),
        }
    }
}

impl<'a> Narrator<'a> {
    /// A narrator that prints to `out`.
    pub(crate) const fn new(out: Out, rules: &'a Rules) -> Narrator<'a> {
        let before = Before { had_opened: false, take_count: 0, books: Vec::new() };
        Narrator { out, rules, before, told: None, rounds: Vec::new() }
    }

    /// The place it prints to, and what was watched of each finished round.
    pub(crate) fn finish(self) -> (Out, Vec<WatchedReport>) {
        (self.out, self.rounds)
    }

    fn round_ended(
        &mut self,
        table: &PublicTable,
        result: &RoundResult,
        counts: Counts,
    ) -> Result<(), Stop> {
        self.rounds.push(WatchedReport::of(result, table, self.rules, counts.round_actions));
        self.tell_end(table, result.how)?;
        self.out.line("")?;
        for line in sheet(result, table, self.rules) {
            self.out.line(line)?;
        }
        self.out.line("")
    }

    fn round_began(&mut self, table: &PublicTable) -> Result<(), Stop> {
        let number = table.round_index + 1;
        let of = match self.rules.draft().length.rounds {
            Some(rounds) if number <= u16::from(rounds) => format!(" of {rounds}"),
            Some(_) => ", because of a tie".to_owned(),
            None => String::new(),
        };
        let minimum = opening_words(table, self.rules);
        self.out.headline(&format!("Round {number}{of}: {minimum}"))?;
        self.told = None;
        let upcard = table.upcard().map(|card| self.rules.pack().card_name(card).to_string());
        let commitment = hex_text(&table.commitment);
        self.out.line(format!(
            "  seat {} deals, upcard {}, stock {}, commitment {}",
            table.dealer,
            upcard.as_deref().unwrap_or("none"),
            table.stock,
            &commitment[..16],
        ))
    }

    /// Now and then, how the table stands.
    fn status(&mut self, table: &PublicTable) -> Result<(), Stop> {
        let seats = u16::try_from(self.rules.seats()).unwrap_or(u16::MAX);
        let turns_before = table.turns - 1;
        if turns_before == 0 || !turns_before.is_multiple_of(seats * LAPS_BETWEEN_STATUS) {
            return Ok(());
        }
        let teams = Team::all(self.rules.teams()).map(|team| {
            let melds = &table.teams[team.index()];
            let name = team_name(team, self.rules);
            let books = books_text(melds.books(self.rules)).unwrap_or("no book".to_owned());
            match melds.has_opened() {
                true => format!("{name} has {books}"),
                false => format!("{name} has not opened"),
            }
        });
        let text = format!(
            "------- stock {}, {}; {}",
            table.stock,
            counted(table.discards.len(), "discard"),
            teams.collect::<Vec<_>>().join("; ")
        );
        self.told = None;
        self.out.line(format!("  {:>4}  {text}", table.turns))
    }

    /// How the round ended.
    fn tell_end(&mut self, table: &PublicTable, how: RoundEnd) -> Result<(), Stop> {
        let (seat, text) = match how {
            RoundEnd::WentOut(seat) => (seat, "goes out"),
            RoundEnd::StockRanOut(seat) => (seat, stock_end_words(table, self.rules)),
        };
        self.tell_one(table, seat, text)
    }

    fn tell_one(&mut self, table: &PublicTable, seat: Seat, text: &str) -> Result<(), Stop> {
        self.tell(table, seat, std::iter::once(text.to_owned()))
    }

    fn tell(
        &mut self,
        table: &PublicTable,
        seat: Seat,
        parts: impl Iterator<Item = String>,
    ) -> Result<(), Stop> {
        let parts: Vec<String> = parts.collect();
        match parts.is_empty() {
            true => Ok(()),
            false => {
                let text = parts.join(", ");
                let is_new = self.told.replace((table.turns, seat)) != Some((table.turns, seat));
                let (turn, name) = match is_new {
                    true => (table.turns.to_string(), format!("seat {seat}")),
                    false => Default::default(),
                };
                self.out.line(format!("  {turn:>4}  {name:<7} {text}"))
            }
        }
    }

    /// What is worth telling about lays that are seen together: an opening, and books that they
    /// completed.
    fn lay_text(&self, table: &PublicTable, seat: Seat, lays: &[Lay]) -> Vec<String> {
        let mut parts = Vec::new();
        if !self.before.had_opened {
            parts.push(self.opening_text(lays));
        }
        let new = self.books(table, seat).filter(|(id, _)| !self.before.books.contains(id));
        parts.extend(new.map(|(_, shape)| format!("completes {}", self.book_text(shape))));
        parts
    }

    /// What a team without melds has laid, meld by meld.
    fn opening_text(&self, lays: &[Lay]) -> String {
        let mut melds: Vec<Cards> = Vec::new();
        for placement in lays.iter().flat_map(Lay::placements) {
            let cards = placement.cards.iter().copied();
            let begun = match placement.target {
                Target::Meld(meld) => melds.get_mut(meld.index()),
                Target::New => None,
            };
            match begun {
                Some(meld) => meld.extend(cards),
                None => melds.push(cards.collect()),
            }
        }
        let value = |card: &Card| self.rules.value(card.kind());
        let points: i32 = lays.iter().flat_map(Lay::cards).map(value).sum();
        let write = |meld: &Cards| self.rules.pack().write(meld).to_string();
        let melds: Vec<String> = melds.iter().map(write).collect();
        format!("opens with {} ({points} points)", melds.join(" / "))
    }

    fn books<'t>(
        &'t self,
        table: &'t PublicTable,
        seat: Seat,
    ) -> impl Iterator<Item = (MeldId, MeldShape)> + 't {
        let team = &table.teams[table.team_of(seat).index()];
        team.shapes().filter(|(_, shape)| shape.is_book(self.rules))
    }

    fn book_text(&self, shape: MeldShape) -> String {
        let kind = match shape.kind() {
            MeldKind::Clean => "clean",
            MeldKind::Dirty => "dirty",
            MeldKind::Wild => "wild",
        };
        match shape.rank {
            MeldRank::Natural(rank) => {
                format!("a {kind} book of {}", self.rules.pack().kind_name(rank))
            }
            MeldRank::Wild => "a wild book".to_owned(),
        }
    }
}
