//! Reading a position, line by line.
//!
//! The lines are read twice: first to set aside the cards that are named with their suits, then
//! to give those named without suits the lowest that are left. So the order of lines is free.
//!
//! **Invariant:** whatever the text says, the answer is a sketch or an error with its line.

use std::collections::BTreeSet;
use std::num::NonZero;

use handfoot_cards::{Card, CardWord, Cards, KindCounts};
use handfoot_rules::{RoundScore, Rules, ScoreLine};

use super::check::{self, Places};
use super::line::{Line, Pass, Pool};
use super::{Looker, POSITION_BYTES_MAX, PositionError, PositionProblem, Sketch, SketchSeat};
use crate::growth::size_max;
use crate::limits::{LIFTED_MAX, REFILLS_MAX, UNDOS_MAX};
use crate::notation::parse_end;
use crate::{
    Asked, Cap, Drew, FootStage, LaidCard, Lays, Meld, MeldId, Phase, PublicTable, RoundEnd,
    RoundResult, Seat, Seen, ShownCards, TableOptions, Team, Undo, rank_of,
};

/// What fixes unnamed cards where no line says it.
pub(super) const SEED_DEFAULT: u64 = 1;

/// Rounds, acts, points and turns beyond which no game goes; they keep sums from overflowing.
const ROUNDS_READ_MAX: u16 = 10_000;
const ACTS_READ_MAX: u8 = 200;
const POINTS_READ_MAX: i32 = 100_000_000;
const TURNS_READ_MAX: u16 = 30_000;

/// A packet as it is written.
#[derive(Clone, Copy)]
pub(super) enum PacketWord {
    Hand,
    Foot,
    /// Its place, from 0.
    Nth(u8),
}

/// What a `seat` line says.
pub(super) struct SeatLine {
    pub(super) packet: PacketWord,
    pub(super) own: Vec<Option<Card>>,
    pub(super) closed: Vec<Vec<Option<Card>>>,
    pub(super) known: KindCounts,
    pub(super) lifted: Option<NonZero<u16>>,
    pub(super) stage: Option<FootStage>,
}

/// What the lines say, before it is put together.
pub(super) struct Reader<'a> {
    pub(super) rules: &'a Rules,
    pub(super) pool: Pool<'a>,
    /// Facts given so far, each as its key.
    given: BTreeSet<String>,
    /// Where facts stand, for errors that are found later.
    pub(super) places: Places,
    pub(super) viewer: Option<Looker>,
    pub(super) table: PublicTable,
    pub(super) turns: Option<u16>,
    pub(super) dealer: Option<Seat>,
    pub(super) phase: Option<Phase>,
    pub(super) seats: Vec<Option<SeatLine>>,
    pub(super) stock: Option<Vec<Option<Card>>>,
    pub(super) aside: Option<Vec<Option<Card>>>,
    pub(super) history: Vec<RoundResult>,
    pub(super) way_out: Option<String>,
    pub(super) round_seed: [u8; 32],
    pub(super) refill_seed: Option<[u8; 32]>,
    pub(super) seed: u64,
}

pub(super) fn sketch(text: &str, rules: &Rules) -> Result<Sketch, PositionError> {
    if text.len() > POSITION_BYTES_MAX {
        let problem = PositionProblem::TooLong { bytes: text.len() };
        return Err(PositionError { line: 0, problem });
    }
    let mut pool = Pool::new(rules.pack(), Pass::Faces);
    for _ in 0..decks_added(text, rules) {
        pool.left.add(rules.deck());
    }
    let mut first = Reader::new(rules, pool);
    first.lines(text)?;
    let pool = first.pool.second_pass();
    let mut second = Reader::new(rules, pool);
    second.lines(text)?;
    check::finish(second)
}

/// Decks that the text says were added; it is known before any card is read. A line that says
/// something else is refused when its turn comes.
fn decks_added(text: &str, rules: &Rules) -> u8 {
    let most = rules.draft().stock_out.max_added.unwrap_or_default();
    let said = text.lines().find_map(|line| line.trim_start().strip_prefix("added "));
    said.and_then(|number| number.trim().parse().ok()).filter(|n| *n <= most).unwrap_or(0)
}

impl<'a> Reader<'a> {
    fn new(rules: &'a Rules, pool: Pool<'a>) -> Reader<'a> {
        let options = TableOptions::default();
        let seats = rules.seats();
        let last = Seat::all(seats).next_back().expect("a table has seats");
        Reader {
            rules,
            pool,
            given: BTreeSet::new(),
            places: Places::new(seats),
            viewer: None,
            table: PublicTable::new(rules, options, last),
            turns: None,
            dealer: None,
            phase: None,
            seats: std::iter::repeat_with(|| None).take(seats).collect(),
            stock: None,
            aside: None,
            history: Vec::new(),
            way_out: None,
            round_seed: [0; 32],
            refill_seed: None,
            seed: SEED_DEFAULT,
        }
    }

    fn lines(&mut self, text: &str) -> Result<(), PositionError> {
        for (number, text) in (1..).zip(text.lines()) {
            let mut line = Line::new(number, text);
            match line.peek() {
                None => {}
                Some(key) if key.starts_with('#') => {}
                Some(key) => {
                    line.skip();
                    self.line(key, &mut line)?;
                    line.end()?;
                }
            }
        }
        Ok(())
    }

    fn line(&mut self, key: &str, line: &mut Line<'_>) -> Result<(), PositionError> {
        match key {
            // These may stand as often as there are such things.
            "meld" => return self.meld(line),
            "laid" => return self.laid(line, Seen::Never),
            "laid_known" => return self.laid(line, Seen::Before),
            "result" => return self.result(line),
            "score" => return self.score(line),
            "shown" => return self.shown(line),
            "seat" | "team" => {
                let fact = format!("{key} {}", line.peek().unwrap_or_default());
                self.once(&fact, line)?;
            }
            // What the game waits for is one fact, however it is said.
            "turn" | "round_over" | "game_over" => self.once("turn", line)?,
            _ => self.once(key, line)?,
        }
        match key {
            "view" => self.view(line),
            "undo" => self.undo(line),
            "lays" => self.lays(line),
            "undos" => {
                self.places.undos = line.number;
                line.number(0..=UNDOS_MAX, "a number of undos").map(|n| self.table.undos = n)
            }
            "events" => line.number(0..=1_000_000_000, "a number of events").map(|n| {
                self.table.event_index = n;
            }),
            "round" => line.number(1..=ROUNDS_READ_MAX, "a round's number").map(|n: u16| {
                self.table.round_index = n - 1;
            }),
            "turns" => line.number(0..=TURNS_READ_MAX, "a number of turns").map(|n| {
                self.turns = Some(n);
            }),
            "dealer" => line.seat(self.rules).map(|seat| self.dealer = Some(seat)),
            "turn" => self.turn(line),
            "round_over" | "game_over" => self.over(key, line),
            "stock" => line.cards(&mut self.pool).map(|cards| self.stock = Some(cards)),
            "aside" => line.cards(&mut self.pool).map(|cards| self.aside = Some(cards)),
            "discards" => self.discards(line),
            "buried" => self.buried(line),
            "commitment" => line.hex().map(|bytes| self.table.commitment = bytes),
            "round_seed" => {
                self.places.round_seed = line.number;
                line.hex().map(|bytes| self.round_seed = bytes)
            }
            "refill_seed" => {
                self.places.refill_seed = line.number;
                line.hex().map(|bytes| self.refill_seed = Some(bytes))
            }
            "refills" | "added" | "passes" => self.stock_number(key, line),
            "removed" => line.named_cards(&mut self.pool).map(|cards| {
                self.table.removed.extend(cards);
            }),
            "seed" => line.number(0..=u64::MAX, "a number").map(|n| self.seed = n),
            "seat" => self.seat(line),
            "team" => self.team(line),
            "way_out" => {
                self.places.way_out = line.number;
                self.way_out = Some(line.rest());
                Ok(())
            }
            _ => {
                let found = crate::notation::clipped(key);
                Err(line.problem(PositionProblem::UnknownKey { found }))
            }
        }
    }

    /// How often the stock was given cards, how many decks were added, how many turns passed.
    fn stock_number(&mut self, key: &str, line: &mut Line<'_>) -> Result<(), PositionError> {
        let seats = u8::try_from(self.rules.seats()).unwrap_or(u8::MAX);
        let added_max = self.rules.draft().stock_out.max_added.unwrap_or_default();
        let (place, most, expected) = match key {
            "refills" => (&mut self.table.refills, REFILLS_MAX, "a number of refills"),
            "added" => (&mut self.table.decks_added, added_max, "decks that may be added"),
            _ => (&mut self.table.passes, seats, "no more passes than seats"),
        };
        *place = line.number(0..=most, expected)?;
        Ok(())
    }

    fn once(&mut self, fact: &str, line: &Line<'_>) -> Result<(), PositionError> {
        match self.given.insert(fact.to_owned()) {
            true => Ok(()),
            false => {
                let key = crate::notation::clipped(fact);
                Err(line.problem(PositionProblem::Repeated { key }))
            }
        }
    }

    fn view(&mut self, line: &mut Line<'_>) -> Result<(), PositionError> {
        self.viewer = Some(match line.peek() {
            Some("spectator") => {
                line.skip();
                Looker::Spectator
            }
            _ => Looker::Seat(line.seat(self.rules)?),
        });
        Ok(())
    }

    fn undo(&mut self, line: &mut Line<'_>) -> Result<(), PositionError> {
        const UNDO: &str = "off, own_turn or by_consent";
        let choices =
            [("off", Undo::Off), ("own_turn", Undo::OwnTurn), ("by_consent", Undo::ByConsent)];
        self.table.options.undo = line.choice(&choices, UNDO)?;
        Ok(())
    }

    fn lays(&mut self, line: &mut Line<'_>) -> Result<(), PositionError> {
        let choices = [("open", Lays::Open), ("concealed", Lays::Concealed)];
        self.table.options.lays = line.choice(&choices, "open or concealed")?;
        Ok(())
    }

    fn turn(&mut self, line: &mut Line<'_>) -> Result<(), PositionError> {
        const STEP: &str = "draw, play stock, play discards, or asks or asks_undo and a seat";
        const DREW: [(&str, Drew); 2] = [("stock", Drew::Stock), ("discards", Drew::Discards)];
        self.places.phase = line.number;
        let seat = line.seat(self.rules)?;
        let phase = match line.next(STEP)? {
            "draw" => Phase::Draw { seat, asked: asked(line)? },
            "play" => {
                let drew = line.choice(&DREW, "stock or discards")?;
                Phase::Play { seat, drew, asked: asked(line)? }
            }
            "asks" => {
                let answering = line.seat(self.rules)?;
                let drew = match line.eat(";") {
                    false => None,
                    true => {
                        line.word("after")?;
                        Some(line.choice(&DREW, "stock or discards")?)
                    }
                };
                Phase::AwaitAnswer { asker: seat, answering, drew }
            }
            "asks_undo" => {
                let answering = line.seat(self.rules)?;
                let acts = line.number(1..=ACTS_READ_MAX, "a number of acts")?;
                line.word("after")?;
                let drew = line.choice(&DREW, "stock or discards")?;
                Phase::AwaitUndo { asker: seat, answering, acts, drew, asked: asked(line)? }
            }
            _ => return Err(line.expected_before(STEP)),
        };
        self.phase = Some(phase);
        Ok(())
    }

    fn over(&mut self, key: &str, line: &mut Line<'_>) -> Result<(), PositionError> {
        self.places.phase = line.number;
        let how = self.end(line)?;
        self.phase = Some(match key {
            "game_over" => Phase::GameOver { how },
            _ => Phase::RoundOver { how },
        });
        Ok(())
    }

    fn end(&self, line: &mut Line<'_>) -> Result<RoundEnd, PositionError> {
        const END: &str = "went_out or stock_ran_out, and a seat";
        let how = line.next(END)?;
        let seat = line.seat(self.rules)?;
        parse_end(how, &seat.to_string()).ok_or_else(|| line.expected_before(END))
    }

    fn discards(&mut self, line: &mut Line<'_>) -> Result<(), PositionError> {
        let mut cards = line.named_cards(&mut self.pool)?;
        cards.reverse();
        self.table.discards.extend(cards);
        Ok(())
    }

    /// Buried cards lie in the stock: they are read from a pack of their own.
    fn buried(&mut self, line: &mut Line<'_>) -> Result<(), PositionError> {
        self.table.buried = line.shown(self.rules)?.into_iter().collect();
        Ok(())
    }

    fn seat(&mut self, line: &mut Line<'_>) -> Result<(), PositionError> {
        const PACKET: &str = "hand, foot, or packet and its number";
        const STAGES: [(&str, FootStage); 6] = [
            ("pending", FootStage::Pending),
            ("fresh", FootStage::Fresh),
            ("taken_up", FootStage::TakenUp),
            ("begun", FootStage::Begun),
            ("played", FootStage::Played),
            ("full_turn", FootStage::FullTurn),
        ];
        let seat = line.seat(self.rules)?;
        let packet = match line.next(PACKET)? {
            "hand" => PacketWord::Hand,
            "foot" => PacketWord::Foot,
            "packet" => PacketWord::Nth(line.number(1..=100u8, "a packet's number")? - 1),
            _ => return Err(line.expected_before(PACKET)),
        };
        let own = line.cards(&mut self.pool)?;
        let mut found = SeatLine {
            packet,
            own,
            closed: Vec::new(),
            known: KindCounts::default(),
            lifted: None,
            stage: None,
        };
        while line.eat(";") {
            if line.eat("closed") {
                found.closed.push(line.cards(&mut self.pool)?);
                while line.eat("/") {
                    found.closed.push(line.cards(&mut self.pool)?);
                }
            } else if line.eat("known") {
                self.known(line, &mut found.known)?;
            } else if line.eat("lifted") {
                found.lifted = NonZero::new(line.number(1..=LIFTED_MAX, "a number of cards")?);
            } else {
                const PART: &str =
                    "closed, known, lifted, pending, fresh, taken_up, begun, played or full_turn";
                found.stage = Some(line.choice(&STAGES, PART)?);
            }
        }
        self.places.seats[seat.index()] = line.number;
        self.seats[seat.index()] = Some(found);
        Ok(())
    }

    /// Reads kinds, which need no supply: the cards are among those held.
    fn known(&self, line: &mut Line<'_>, known: &mut KindCounts) -> Result<(), PositionError> {
        while line.peek().is_some_and(|text| !matches!(text, "/" | ";")) {
            let (named, number) = line.card_word(self.rules.pack())?;
            let kind = match named {
                CardWord::Face(card) => card.kind(),
                CardWord::Kind(kind) => kind,
            };
            let count = &mut known[kind.index()];
            *count = count.saturating_add(number);
        }
        Ok(())
    }

    fn team(&mut self, line: &mut Line<'_>) -> Result<(), PositionError> {
        let team = self.team_number(line)?;
        self.places.teams = line.number;
        if line.eat("total") {
            self.table.teams[team.index()].total =
                line.number(-POINTS_READ_MAX..=POINTS_READ_MAX, "points")?;
        }
        if line.eat(";") || line.peek() == Some("red") {
            line.word("red")?;
            for card in line.named_cards(&mut self.pool)? {
                let red_faces = self.rules.pack().red_three_faces();
                if !red_faces.iter().any(|face| face.kind() == card.kind()) {
                    return Err(line.expected_before("red threes"));
                }
                let count =
                    &mut self.table.teams[team.index()].red_threes[self.rules.pack().place(card)];
                *count = count.saturating_add(1);
            }
        }
        Ok(())
    }

    fn team_number(&self, line: &mut Line<'_>) -> Result<Team, PositionError> {
        let teams = self.rules.teams();
        let number = line.number(1..=teams, "a team of this table")?;
        Team::from_number(number).ok_or_else(|| line.expected_before("a team of this table"))
    }

    fn meld(&mut self, line: &mut Line<'_>) -> Result<(), PositionError> {
        let team = self.team_number(line)?;
        let cards = line.named_cards(&mut self.pool)?;
        // More would not fit the counters; it is no meld under any rules.
        if cards.len() > usize::from(size_max(self.rules, rank_of(&cards, self.rules))) {
            return Err(line.expected_before("no more cards than a meld can have"));
        }
        let mut meld = Meld::new(rank_of(&cards, self.rules));
        if line.eat(";") {
            line.word("capped")?;
            meld.set_cap(Cap::Capped);
        }
        check::meld(&cards, meld.rank(), self.rules)
            .map_err(|refused| line.problem(PositionProblem::Meld(refused)))?;
        for card in cards {
            meld.insert(card, self.rules);
        }
        let melds = &mut self.table.teams[team.index()].melds;
        if melds.len() >= crate::MELDS_MAX {
            return Err(line.expected_before("no more melds than a team can have"));
        }
        melds.push(meld);
        self.places.teams = line.number;
        Ok(())
    }

    fn laid(&mut self, line: &mut Line<'_>, seen: Seen) -> Result<(), PositionError> {
        const MELD: &str = "a meld of the team, written like m1";
        self.places.laid = line.number;
        let act = line.number(1..=ACTS_READ_MAX, "an act's number")? - 1;
        let number = line.next(MELD)?.strip_prefix('m').and_then(|digits| digits.parse().ok());
        let meld = number.and_then(MeldId::from_number);
        let meld = meld.ok_or_else(|| line.expected_before(MELD))?;
        for card in line.shown(self.rules)? {
            self.table.laid.push(LaidCard { act, meld, card, seen });
        }
        Ok(())
    }

    fn result(&mut self, line: &mut Line<'_>) -> Result<(), PositionError> {
        let round_index = line.number(1..=ROUNDS_READ_MAX, "a round's number")? - 1;
        let how = self.end(line)?;
        line.word("turns")?;
        let turns = line.number(0..=u16::MAX, "a number of turns")?;
        line.word("seed")?;
        let seed = line.hex()?;
        let scores = vec![RoundScore::default(); self.rules.teams()];
        let nothing = ShownCards { own: Cards::EMPTY, packets: Vec::new() };
        let shown = vec![nothing; self.rules.seats()];
        self.history.push(RoundResult { round_index, how, turns, scores, shown, seed });
        Ok(())
    }

    fn score(&mut self, line: &mut Line<'_>) -> Result<(), PositionError> {
        const LINE: &str = "a line of the score";
        let team = self.team_number(line)?;
        let mut score = RoundScore::default();
        while line.peek().is_some() {
            let name = line.next(LINE)?;
            let found = ScoreLine::ALL.into_iter().find(|line| line.name() == name);
            let found = found.ok_or_else(|| line.expected_before(LINE))?;
            let count = line.number(0..=30_000u16, "a count")?;
            let points = line.number(-POINTS_READ_MAX..=POINTS_READ_MAX, "points")?;
            if score.line(found) != handfoot_rules::Line::default() {
                return Err(line.expected_before("each line of the score once"));
            }
            score.count(found, count, 0);
            score.points(found, points);
        }
        let missing = line.problem(PositionProblem::Missing { key: "result" });
        self.history.last_mut().ok_or(missing)?.scores[team.index()] = score;
        Ok(())
    }

    fn shown(&mut self, line: &mut Line<'_>) -> Result<(), PositionError> {
        let seat = line.seat(self.rules)?;
        let own = line.shown(self.rules)?.into_iter().collect();
        let mut packets = Vec::new();
        while line.eat("/") {
            packets.push(line.shown(self.rules)?.into_iter().collect());
        }
        let missing = line.problem(PositionProblem::Missing { key: "result" });
        self.history.last_mut().ok_or(missing)?.shown[seat.index()] = ShownCards { own, packets };
        Ok(())
    }
}

fn asked(line: &mut Line<'_>) -> Result<Asked, PositionError> {
    if !line.eat(";") {
        return Ok(Asked::NotYet);
    }
    line.word("asked")?;
    // A yes plays the way out at once: no position stands between the two.
    line.choice(&[("refused", Asked::Refused)], "refused")
}

/// The seat lines of a reader, put together with what the rules say of packets.
pub(super) fn closed_packets(
    written: Vec<Vec<Option<Card>>>,
    sizes: &[u8],
) -> Result<Vec<Vec<Option<Card>>>, PositionProblem> {
    if written.len() > sizes.len() {
        let (named, allowed) = (written.len(), sizes.len());
        return Err(PositionProblem::TooManyPackets { named, allowed });
    }
    let mut packets = written;
    packets.resize(sizes.len(), Vec::new());
    for (packet, size) in packets.iter_mut().zip(sizes) {
        let size = usize::from(*size);
        if packet.len() > size {
            return Err(PositionProblem::PacketTooLarge { named: packet.len(), size });
        }
        packet.resize(size, None);
    }
    Ok(packets)
}

/// What a seat has that no line speaks of.
pub(super) fn dealt(sizes: &[u8]) -> SketchSeat {
    let unseen = |size: &u8| vec![None; usize::from(*size)];
    SketchSeat { own: unseen(&sizes[0]), closed: sizes[1..].iter().map(unseen).collect() }
}
