//! Puts what the lines say together, and checks all that does not depend on unnamed cards.
//!
//! **Invariant:** a sketch that leaves here counts every card of the pack exactly once.

use handfoot_cards::{Card, Cards, Kind, Role};
use handfoot_rules::{HandRule, Rules};

use super::read::{PacketWord, Reader, SeatLine, closed_packets, dealt};
use super::{Looker, PositionError, PositionProblem, Sketch, SketchSeat};
use crate::growth::{is_blocker, shape_fits, three_in};
use crate::limits::{UNDO_QUESTIONS_MAX, UNDOS_MAX};
use crate::notation::action::read_way_out;
use crate::undo::taken_back;
use crate::{
    Cap, FootStage, Lays, MeldRank, MeldShape, Phase, PublicTable, Rejection, RoundEnd, Seat,
    SeatTable, TeamTable, Undo, WayOut, is_laid_at_once,
};

/// The lines in which facts stand; 0 if none says them.
pub(super) struct Places {
    pub(super) phase: usize,
    pub(super) undos: usize,
    pub(super) seats: Vec<usize>,
    pub(super) teams: usize,
    pub(super) laid: usize,
    pub(super) way_out: usize,
    pub(super) round_seed: usize,
    pub(super) refill_seed: usize,
}

impl Places {
    pub(super) fn new(seats: usize) -> Places {
        Places {
            phase: 0,
            undos: 0,
            seats: vec![0; seats],
            teams: 0,
            laid: 0,
            way_out: 0,
            round_seed: 0,
            refill_seed: 0,
        }
    }
}

fn error(line: usize, problem: PositionProblem) -> PositionError {
    PositionError { line, problem }
}

pub(super) fn finish(reader: Reader<'_>) -> Result<Sketch, PositionError> {
    let Reader { rules, pool, places, viewer, mut table, phase, dealer, turns, .. } = reader;
    table.phase = phase.ok_or_else(|| error(0, PositionProblem::Missing { key: "turn" }))?;
    table.dealer = dealer.unwrap_or(table.dealer);
    set_turns(&mut table, turns).map_err(|problem| error(places.phase, problem))?;
    let mut seats = Vec::with_capacity(rules.seats());
    for (seat, written) in Seat::all(rules.seats()).zip(reader.seats) {
        let (public, cards) = seat_of(&table, seat, written, rules)
            .map_err(|problem| error(places.seats[seat.index()], problem))?;
        table.seats[seat.index()] = public;
        seats.push(cards);
    }
    asks_to_undo(&table, viewer).map_err(|problem| error(places.phase, problem))?;
    let counted = if places.undos > 0 { places.undos } else { places.phase };
    undos_fit(&table).map_err(|problem| error(counted, problem))?;
    asks_partner(&table).map_err(|problem| error(places.phase, problem))?;
    one_unfinished_each(&table, rules)
        .map_err(|refused| error(places.teams, PositionProblem::Meld(refused)))?;
    caps_fit(&table, rules).map_err(|problem| error(places.teams, problem))?;
    undoes(&table, rules).map_err(|problem| error(places.laid, problem))?;
    let mut sketch = Sketch {
        viewer,
        table,
        seats,
        stock: Vec::new(),
        aside: Vec::new(),
        unnamed: pool.left,
        history: reader.history,
        way_out: None,
        round_seed: reader.round_seed,
        refill_seed: reader.refill_seed,
        seed: reader.seed,
    };
    count(&mut sketch, reader.stock, reader.aside).map_err(|problem| error(0, problem))?;
    sketch.way_out = way_out(&sketch, reader.way_out, rules)
        .map_err(|problem| error(places.way_out, problem))?;
    shows_only_own(&sketch, &places)?;
    Ok(sketch)
}

/// Turns begun fit the seat whose turn it is; unless they are given, it is the second lap.
fn set_turns(table: &mut PublicTable, turns: Option<u16>) -> Result<(), PositionProblem> {
    let seat = match table.phase {
        Phase::Draw { seat, .. }
        | Phase::Play { seat, .. }
        | Phase::AwaitAnswer { asker: seat, .. }
        | Phase::AwaitUndo { asker: seat, .. }
        | Phase::RoundOver { how: RoundEnd::WentOut(seat) | RoundEnd::StockRanOut(seat) }
        | Phase::GameOver { how: RoundEnd::WentOut(seat) | RoundEnd::StockRanOut(seat) } => seat,
    };
    let (seats, place) = (table.seats.len(), table.place_in_lap(seat));
    let usual = u16::try_from(seats + place + 1).unwrap_or(u16::MAX);
    table.turns = turns.unwrap_or(usual);
    match usize::from(table.turns) % seats == (place + 1) % seats && table.turns > 0 {
        true => Ok(()),
        false => Err(PositionProblem::Turns { turns: table.turns }),
    }
}

fn seat_of(
    table: &PublicTable,
    seat: Seat,
    written: Option<SeatLine>,
    rules: &Rules,
) -> Result<(SeatTable, SketchSeat), PositionProblem> {
    let sizes = &table.round(rules).packets;
    let last = sizes.len() - 1;
    let written = written.unwrap_or_else(|| SeatLine {
        packet: PacketWord::Hand,
        own: dealt(sizes).own,
        closed: Vec::new(),
        known: [0; handfoot_cards::KINDS_MAX],
        lifted: None,
        stage: None,
    });
    let packet = match written.packet {
        PacketWord::Hand => 0,
        PacketWord::Foot => last,
        PacketWord::Nth(index) => usize::from(index),
    };
    if packet > last {
        let (named, allowed) = (packet + 1, sizes.len());
        return Err(PositionProblem::TooManyPackets { named, allowed });
    }
    let usual = if packet == last && last > 0 { FootStage::Played } else { FootStage::Waiting };
    let foot = written.stage.unwrap_or(usual);
    let is_empty = written.own.is_empty();
    let may_be_empty = rules.hand_rule() == HandRule::KeepUntilFirstBook;
    let fits = match foot {
        FootStage::Waiting => (packet < last && (!is_empty || may_be_empty)) || last == 0,
        FootStage::Fresh => packet > 0,
        FootStage::Pending => packet < last && is_empty,
        FootStage::TakenUp | FootStage::Begun | FootStage::Played | FootStage::FullTurn => {
            packet == last
        }
    };
    if !fits {
        return Err(PositionProblem::Stage);
    }
    let cards = SketchSeat {
        own: written.own,
        closed: closed_packets(written.closed, &sizes[packet + 1..])?,
    };
    let public = SeatTable {
        held: u16::try_from(cards.own.len()).unwrap_or(u16::MAX),
        packet: u8::try_from(packet).unwrap_or(u8::MAX),
        foot,
        known: written.known,
        lifted: written.lifted,
    };
    own_cards_fit(table, seat, &public, &cards, rules)?;
    Ok((public, cards))
}

fn own_cards_fit(
    table: &PublicTable,
    seat: Seat,
    public: &SeatTable,
    cards: &SketchSeat,
    rules: &Rules,
) -> Result<(), PositionProblem> {
    let named: Cards = cards.own.iter().copied().flatten().collect();
    let is_left = |(card, _): (Card, u8)| is_laid_at_once(card, rules);
    let lays = table.has_had_turn(seat) && public.foot != FootStage::Fresh;
    if lays && named.faces().any(is_left) {
        return Err(PositionProblem::RedThreeHeld);
    }
    // Cards that are known and not named must be among those that are not named.
    let unnamed = cards.own.len() - named.len();
    let missing = |kind: Kind| public.known[kind.index()].saturating_sub(named.of_kind(kind));
    match Kind::all().map(|kind| usize::from(missing(kind))).sum::<usize>() <= unnamed {
        true => Ok(()),
        false => Err(PositionProblem::Known),
    }
}

/// No more undos than the table has, and the one that is asked for is counted. Rule: HF-13.2
fn undos_fit(table: &PublicTable) -> Result<(), PositionProblem> {
    let from = match table.phase {
        Phase::AwaitUndo { .. } => 1,
        Phase::Draw { .. }
        | Phase::Play { .. }
        | Phase::AwaitAnswer { .. }
        | Phase::RoundOver { .. }
        | Phase::GameOver { .. } => 0,
    };
    let most = match table.options.undo {
        Undo::Off => 0,
        Undo::OwnTurn => UNDOS_MAX,
        Undo::ByConsent => UNDO_QUESTIONS_MAX,
    };
    match (from..=most).contains(&table.undos) {
        true => Ok(()),
        false => Err(PositionProblem::Undos { undos: table.undos, from, most }),
    }
}

/// Where others consent, a question about undo goes to another seat and names lays that the viewer sees lying there.
/// Rule: HF-13.1
fn asks_to_undo(table: &PublicTable, viewer: Option<Looker>) -> Result<(), PositionProblem> {
    let Phase::AwaitUndo { asker, answering, acts, .. } = table.phase else { return Ok(()) };
    match table.options.undo {
        Undo::ByConsent => {}
        Undo::Off | Undo::OwnTurn => return Err(PositionProblem::NoConsent),
    }
    let sees = match (table.options.lays, viewer) {
        (Lays::Open, _) | (Lays::Concealed, None) => true,
        (Lays::Concealed, Some(looker)) => looker == Looker::Seat(asker),
    };
    match asker != answering && (!sees || acts <= table.undoable()) {
        true => Ok(()),
        false => Err(PositionProblem::Laid),
    }
}

fn asks_partner(table: &PublicTable) -> Result<(), PositionProblem> {
    let Phase::AwaitAnswer { asker, answering, .. } = table.phase else { return Ok(()) };
    match table.partners(asker).any(|partner| partner == answering) {
        true => Ok(()),
        false => Err(PositionProblem::NotPartner),
    }
}

/// What the rules say of one meld. Rule: HF-4.1 to HF-4.4
pub(super) fn meld(cards: &[Card], rank: MeldRank, rules: &Rules) -> Result<(), Rejection> {
    three_in(rules, cards)?;
    let mut shape = MeldShape::empty(rank);
    for card in cards {
        match (rules.role(card.kind()), rank) {
            (Role::Wild, _) => shape.wilds = shape.wilds.saturating_add(1),
            (_, MeldRank::Natural(kind)) if kind == card.kind() => {
                shape.naturals = shape.naturals.saturating_add(1);
            }
            (_, MeldRank::Natural(_) | MeldRank::Wild) => {
                return Err(Rejection::MixedRanks { card: *card });
            }
        }
    }
    shape_fits(rules, shape)
}

/// No more melds of a rank than the rules allow, unfinished or in all. Rule: HF-4.6
fn one_unfinished_each(table: &PublicTable, rules: &Rules) -> Result<(), Rejection> {
    let per_rank = rules.draft().per_rank;
    let allowed = usize::from(per_rank.open);
    for team in &table.teams {
        for (_, shape) in team.shapes() {
            let melds = team.shapes().filter(|(_, other)| other.rank == shape.rank).count();
            let melds = u8::try_from(melds).unwrap_or(u8::MAX);
            if let Some(allowed) = per_rank.total.filter(|total| melds > *total) {
                return Err(Rejection::RankFull { melds, allowed });
            }
        }
        for (_, shape) in team.shapes().filter(|(_, shape)| !shape.is_book(rules)) {
            let same = |other: &MeldShape| other.rank == shape.rank && !other.is_book(rules);
            let mut found = team.shapes().filter(|(_, other)| same(other));
            if let (Some((meld, _)), Some(_)) = (found.next(), found.nth(allowed.saturating_sub(1)))
            {
                return Err(Rejection::UnfinishedMeldExists { meld });
            }
        }
    }
    Ok(())
}

/// Red threes on books lie on clean ones, and are all that a team has laid where they go on books
/// only. Rule: HF-3.8
fn caps_fit(table: &PublicTable, rules: &Rules) -> Result<(), PositionProblem> {
    let fits = |team: &TeamTable| {
        let is_capped = |shape: &MeldShape| shape.cap == Cap::Capped;
        let capped = team.shapes().filter(|(_, shape)| is_capped(shape)).count();
        let on_clean =
            team.shapes().all(|(_, shape)| !is_capped(&shape) || shape.is_clean_book(rules));
        on_clean && capped == usize::from(team.red_threes_laid())
    };
    match !is_blocker(rules) || table.teams.iter().all(fits) {
        true => Ok(()),
        false => Err(PositionProblem::Capped),
    }
}

/// The lays that can be undone lie on the table, and legal melds are left without them.
/// Rule: HF-2.6
fn undoes(table: &PublicTable, rules: &Rules) -> Result<(), PositionProblem> {
    if table.laid.is_empty() {
        return Ok(());
    }
    let (Phase::Play { seat, .. } | Phase::AwaitUndo { asker: seat, .. }) = table.phase else {
        return Err(PositionProblem::Laid);
    };
    let mut acts = table.laid.iter().map(|laid| laid.act);
    let mut last = 0;
    let follow = acts.next() == Some(0)
        && acts.all(|act| {
            let fits = act == last || act == last + 1;
            last = act;
            fits
        });
    let mut melds = table.teams[table.team_of(seat).index()].melds.clone();
    for (index, laid) in table.laid.iter().enumerate().rev() {
        if !taken_back(&mut melds, laid, rules) {
            return Err(PositionProblem::Laid);
        }
        let begins_act = index == 0 || table.laid[index - 1].act != laid.act;
        if begins_act && melds.iter().any(|meld| shape_fits(rules, meld.shape()).is_err()) {
            return Err(PositionProblem::Laid);
        }
    }
    match follow {
        true => Ok(()),
        false => Err(PositionProblem::Laid),
    }
}

/// Settles how many cards lie in the stock and out of play, so that all together are the pack.
fn count(
    sketch: &mut Sketch,
    stock: Option<Vec<Option<Card>>>,
    aside: Option<Vec<Option<Card>>>,
) -> Result<(), PositionProblem> {
    let unnamed = |cards: &[Option<Card>]| cards.iter().filter(|card| card.is_none()).count();
    let of_seat = |seat: &SketchSeat| {
        unnamed(&seat.own) + seat.closed.iter().map(|packet| unnamed(packet)).sum::<usize>()
    };
    let needed = sketch.seats.iter().map(of_seat).sum::<usize>()
        + stock.as_deref().map_or(0, unnamed)
        + aside.as_deref().map_or(0, unnamed);
    let left = sketch.unnamed.len();
    let surplus = left.checked_sub(needed).ok_or(PositionProblem::TooFewLeft { needed, left })?;
    (sketch.stock, sketch.aside) = match (stock, aside) {
        (None, aside) => (vec![None; surplus], aside.unwrap_or_default()),
        (Some(stock), None) => (stock, vec![None; surplus]),
        (Some(stock), Some(aside)) if surplus == 0 => (stock, aside),
        (Some(_), Some(_)) => return Err(PositionProblem::TooManyLeft { surplus }),
    };
    sketch.table.stock = u16::try_from(sketch.stock.len()).unwrap_or(u16::MAX);
    sketch.table.aside = u16::try_from(sketch.aside.len()).unwrap_or(u16::MAX);
    Ok(())
}

/// An open question names a way out, in a whole position; nothing else does. Rule: HF-8.5
fn way_out(
    sketch: &Sketch,
    text: Option<String>,
    rules: &Rules,
) -> Result<Option<Box<WayOut>>, PositionProblem> {
    match (sketch.table.phase, sketch.viewer, text) {
        (Phase::AwaitAnswer { asker, .. }, None, Some(text)) => {
            let own = sketch.seats[asker.index()].own.iter().copied().flatten().collect();
            let count = sketch.table.take_count(rules);
            let taken = sketch.table.discards.iter().rev().take(count).copied().collect();
            let way = read_way_out(&text, rules.pack(), own, taken);
            way.map(Some).map_err(PositionProblem::WayOut)
        }
        (Phase::AwaitAnswer { .. }, None, None) => Err(PositionProblem::Missing { key: "way_out" }),
        (_, Some(_), Some(_)) => Err(PositionProblem::NotInView { key: "way_out" }),
        (_, None, Some(_)) => Err(PositionProblem::Missing { key: "whom the seat asks" }),
        (_, _, None) => Ok(None),
    }
}

/// A view names its viewer's cards and no other hidden ones. Rule: HF-11.2
fn shows_only_own(sketch: &Sketch, places: &Places) -> Result<(), PositionError> {
    let viewer = match sketch.viewer {
        None => return Ok(()),
        Some(Looker::Spectator) => None,
        Some(Looker::Seat(seat)) => Some(seat),
    };
    let names = |cards: &[Option<Card>]| cards.iter().any(Option::is_some);
    for (seat, cards) in Seat::all(sketch.seats.len()).zip(&sketch.seats) {
        let is_viewer = viewer == Some(seat);
        if is_viewer && cards.own.iter().any(Option::is_none) {
            return Err(error(places.seats[seat.index()], PositionProblem::OwnUnnamed));
        }
        let closed_named = cards.closed.iter().any(|packet| names(packet));
        if closed_named || (!is_viewer && names(&cards.own)) {
            return Err(error(places.seats[seat.index()], PositionProblem::HiddenNamed));
        }
    }
    if names(&sketch.stock) || names(&sketch.aside) {
        return Err(error(0, PositionProblem::HiddenNamed));
    }
    for (line, key) in [(places.round_seed, "round_seed"), (places.refill_seed, "refill_seed")] {
        if line > 0 {
            return Err(error(line, PositionProblem::NotInView { key }));
        }
    }
    Ok(())
}
