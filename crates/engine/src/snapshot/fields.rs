//! What a game's bytes hold, field by field, in the order in which they are written.
//!
//! **Invariant:** a writer and its reader stand side by side and name every field.

use std::num::NonZero;
use std::sync::Arc;

use handfoot_cards::{Cards, KINDS_MAX, Kind};
use handfoot_rules::{RedThreeMode, RoundScore, Rules, ScoreLine};
use handfoot_view::{
    Asked, Cap, Drew, FootStage, LaidCard, Meld, MeldId, MeldRank, Phase, PublicTable, RoundEnd,
    RoundResult, Seat, Seen, ShownCards,
};

use super::SnapshotError;
use super::bytes::{Reader, Writer};
use super::options::{self, Melds, Options};
use crate::conceal::concealing;
use crate::state::{Hidden, State};

type Read<T> = Result<T, SnapshotError>;

pub(super) fn write_state(writer: &mut Writer, state: &State, melds: Melds) {
    let table = &state.table;
    options::write(writer, table, melds);
    writer.number(u64::from(table.event_index));
    writer.number(u64::from(table.round_index));
    writer.number(u64::from(table.turns));
    writer.seat(table.dealer);
    write_phase(writer, table.phase);
    writer.number(u64::from(table.stock));
    writer.number(u64::from(table.aside));
    writer.cards_in_order(&table.discards);
    writer.cards(&table.buried);
    writer.bytes(&table.commitment);
    write_seats(writer, table);
    write_teams(writer, state);
    writer.list(&table.laid, |writer, laid| {
        writer.byte(laid.act);
        writer.number(u64::try_from(laid.meld.index()).unwrap_or_default());
        writer.card(laid.card);
        writer.byte(match laid.seen {
            Seen::Before => 0,
            Seen::Never => 1,
        });
    });
    writer.list(&state.hidden.own, Writer::cards);
    writer.number(u64::try_from(state.hidden.stock_start).unwrap_or_default());
    writer.cards_in_order(&state.hidden.cards);
    writer.cards_in_order(&state.hidden.aside);
    writer.bytes(&state.round_seed);
    write_choices(writer, state);
    // The way out of an open question, as an action that is logged.
    let mut log = crate::log::ActionLog::default();
    if let Some(way) = &state.way_out {
        log.push(table.dealer, &handfoot_view::Action::AskToGoOut(way.clone()));
    }
    writer.list(log.bytes(), |writer, byte| writer.byte(*byte));
}

/// The state, and whether the melds of finished rounds follow the rounds.
pub(super) fn read_state(reader: &mut Reader<'_>) -> Read<(State, Melds)> {
    let rules = Arc::clone(reader.rules);
    let Options { options, undos, melds } = options::read(reader)?;
    let any_seat = Seat::from_index(0).ok_or_else(|| reader.wrong("a seat"))?;
    let mut table = PublicTable::new(&rules, options, any_seat);
    table.undos = undos;
    table.event_index = reader.small("a number of events")?;
    table.round_index = reader.small("a number of rounds")?;
    table.turns = reader.small("a number of turns")?;
    table.dealer = reader.seat()?;
    table.phase = read_phase(reader)?;
    table.stock = reader.small("the size of the stock")?;
    table.aside = reader.small("a number of cards aside")?;
    reader.cards_into(&mut table.discards, "the discard pile")?;
    table.buried = reader.cards()?;
    table.commitment = reader.array("a commitment")?;
    read_seats(reader, &mut table)?;
    read_teams(reader, &mut table)?;
    table.laid.extend(reader.list("cards laid", read_laid)?);
    let own = reader.list("hands", Reader::cards)?;
    if own.len() != rules.seats() {
        return Err(reader.wrong("one hand a seat"));
    }
    let stock_start: usize = reader.small("where the stock begins")?;
    let packets: usize =
        table.round(&rules).packets[1..].iter().map(|size| usize::from(*size)).sum();
    let mut cards = Vec::with_capacity(rules.pack().cards().len());
    reader.cards_into(&mut cards, "packets and stock")?;
    if stock_start != packets * rules.seats() || stock_start > cards.len() {
        return Err(reader.wrong("packets and stock of this table"));
    }
    let hidden = Hidden { own, cards, stock_start, aside: reader.cards_in_order("cards aside")? };
    let round_seed = reader.array("a round's seed")?;
    let refill_seed = read_choices(reader, &mut table)?;
    let log = crate::log::ActionLog::of(reader.list("a way out", |r| r.byte("a way out"))?);
    let way_out = log.iter().find_map(|(_, action)| match action {
        handfoot_view::Action::AskToGoOut(way) => Some(way),
        handfoot_view::Action::Draw
        | handfoot_view::Action::TakeDiscards(_)
        | handfoot_view::Action::Lay(_)
        | handfoot_view::Action::AnswerGoOut(_)
        | handfoot_view::Action::Discard(_)
        | handfoot_view::Action::UndoLays(_)
        | handfoot_view::Action::AnswerUndo(_) => None,
    });
    let shown = concealing(&table, &rules);
    Ok((State { rules, table, shown, hidden, way_out, round_seed, refill_seed }, melds))
}

/// What only some rules keep: rules that do not choose it write no byte for it.
fn write_choices(writer: &mut Writer, state: &State) {
    let (table, rules) = (&state.table, &state.rules);
    if rules.may_refill() {
        writer.bytes(state.refill_seed.as_deref().unwrap_or(&[0; 32]));
        writer.byte(table.refills);
        writer.byte(table.decks_added);
        writer.cards_in_order(&table.removed);
    }
    if rules.may_pass() {
        writer.byte(table.passes);
    }
    if rules.has_exact_pick() {
        for seat in &table.seats {
            // 0 is not told.
            writer.number(seat.lifted.map_or(0, |cards| u64::from(cards.get())));
        }
    }
}

/// Reads them into the table and gives the refill seed.
fn read_choices(reader: &mut Reader<'_>, table: &mut PublicTable) -> Read<Option<Box<[u8; 32]>>> {
    let rules = Arc::clone(reader.rules);
    let mut refill_seed = None;
    if rules.may_refill() {
        refill_seed = Some(Box::new(reader.array("a refill seed")?));
        table.refills = reader.byte("a number of refills")?;
        table.decks_added = reader.byte("a number of decks")?;
        if table.decks_added > rules.draft().stock_out.max_added.unwrap_or_default() {
            return Err(reader.wrong("no more decks than may be added"));
        }
        reader.cards_into(&mut table.removed, "cards that left play")?;
    }
    if rules.may_pass() {
        table.passes = reader.byte("a number of passes")?;
    }
    if rules.has_exact_pick() {
        for seat in &mut table.seats {
            seat.lifted = NonZero::new(reader.small("a number of cards")?);
        }
    }
    Ok(refill_seed)
}

fn read_laid(reader: &mut Reader<'_>) -> Read<LaidCard> {
    Ok(LaidCard {
        act: reader.byte("an act")?,
        meld: read_meld_id(reader)?,
        card: reader.card()?,
        seen: match reader.byte("whether a card was seen")? {
            0 => Seen::Before,
            1 => Seen::Never,
            _ => return Err(reader.wrong("whether a card was seen")),
        },
    })
}

fn read_meld_id(reader: &mut Reader<'_>) -> Read<MeldId> {
    let index: usize = reader.small("a meld")?;
    MeldId::from_index(index).ok_or_else(|| reader.wrong("a meld"))
}

fn write_phase(writer: &mut Writer, phase: Phase) {
    match phase {
        Phase::Draw { seat, asked } => {
            writer.byte(0);
            writer.seat(seat);
            write_asked(writer, asked);
        }
        Phase::Play { seat, drew, asked } => {
            writer.byte(1);
            writer.seat(seat);
            write_drew(writer, Some(drew));
            write_asked(writer, asked);
        }
        Phase::AwaitAnswer { asker, answering, drew } => {
            writer.byte(2);
            writer.seat(asker);
            writer.seat(answering);
            write_drew(writer, drew);
        }
        Phase::AwaitUndo { asker, answering, acts, drew, asked } => {
            writer.byte(5);
            writer.seat(asker);
            writer.seat(answering);
            writer.byte(acts);
            write_drew(writer, Some(drew));
            write_asked(writer, asked);
        }
        Phase::RoundOver { how } => {
            writer.byte(3);
            write_end(writer, how);
        }
        Phase::GameOver { how } => {
            writer.byte(4);
            write_end(writer, how);
        }
    }
}

fn read_phase(reader: &mut Reader<'_>) -> Read<Phase> {
    match reader.byte("a phase")? {
        0 => Ok(Phase::Draw { seat: reader.seat()?, asked: read_asked(reader)? }),
        1 => {
            let seat = reader.seat()?;
            let drew = read_drew(reader)?.ok_or_else(|| reader.wrong("a draw step"))?;
            Ok(Phase::Play { seat, drew, asked: read_asked(reader)? })
        }
        2 => Ok(Phase::AwaitAnswer {
            asker: reader.seat()?,
            answering: reader.seat()?,
            drew: read_drew(reader)?,
        }),
        3 => Ok(Phase::RoundOver { how: read_end(reader)? }),
        4 => Ok(Phase::GameOver { how: read_end(reader)? }),
        5 => {
            let (asker, answering) = (reader.seat()?, reader.seat()?);
            let acts = reader.byte("a number of acts")?;
            let drew = read_drew(reader)?.ok_or_else(|| reader.wrong("a draw step"))?;
            let asked = read_asked(reader)?;
            Ok(Phase::AwaitUndo { asker, answering, acts, drew, asked })
        }
        _ => Err(reader.wrong("a phase")),
    }
}

fn write_asked(writer: &mut Writer, asked: Asked) {
    writer.byte(match asked {
        Asked::NotYet => 0,
        Asked::Granted => 1,
        Asked::Refused => 2,
    });
}

fn read_asked(reader: &mut Reader<'_>) -> Read<Asked> {
    match reader.byte("a question")? {
        0 => Ok(Asked::NotYet),
        1 => Ok(Asked::Granted),
        2 => Ok(Asked::Refused),
        _ => Err(reader.wrong("a question")),
    }
}

fn write_drew(writer: &mut Writer, drew: Option<Drew>) {
    writer.byte(match drew {
        None => 0,
        Some(Drew::Stock) => 1,
        Some(Drew::Discards) => 2,
    });
}

fn read_drew(reader: &mut Reader<'_>) -> Read<Option<Drew>> {
    match reader.byte("a draw step")? {
        0 => Ok(None),
        1 => Ok(Some(Drew::Stock)),
        2 => Ok(Some(Drew::Discards)),
        _ => Err(reader.wrong("a draw step")),
    }
}

fn write_end(writer: &mut Writer, how: RoundEnd) {
    let (tag, seat) = match how {
        RoundEnd::WentOut(seat) => (0, seat),
        RoundEnd::StockRanOut(seat) => (1, seat),
    };
    writer.byte(tag);
    writer.seat(seat);
}

fn read_end(reader: &mut Reader<'_>) -> Read<RoundEnd> {
    match reader.byte("how a round ended")? {
        0 => Ok(RoundEnd::WentOut(reader.seat()?)),
        1 => Ok(RoundEnd::StockRanOut(reader.seat()?)),
        _ => Err(reader.wrong("how a round ended")),
    }
}

fn write_seats(writer: &mut Writer, table: &PublicTable) {
    for seat in &table.seats {
        writer.number(u64::from(seat.held));
        writer.byte(seat.packet);
        writer.byte(match seat.foot {
            FootStage::Waiting => 0,
            FootStage::Pending => 1,
            FootStage::TakenUp => 2,
            FootStage::Begun => 3,
            FootStage::Played => 4,
            FootStage::FullTurn => 5,
            FootStage::Fresh => 6,
        });
        let known: Vec<(usize, u8)> =
            seat.known.iter().copied().enumerate().filter(|(_, count)| *count > 0).collect();
        writer.list(&known, |writer, (kind, count)| {
            writer.byte(u8::try_from(*kind).unwrap_or(u8::MAX));
            writer.byte(*count);
        });
    }
}

fn read_seats(reader: &mut Reader<'_>, table: &mut PublicTable) -> Read<()> {
    let packets = table.round(reader.rules).packets.len();
    for seat in &mut table.seats {
        seat.held = reader.small("a number of cards held")?;
        seat.packet = reader.byte("a packet")?;
        if usize::from(seat.packet) >= packets {
            return Err(reader.wrong("a packet of this round"));
        }
        seat.foot = match reader.byte("a foot")? {
            0 => FootStage::Waiting,
            1 => FootStage::Pending,
            2 => FootStage::TakenUp,
            3 => FootStage::Begun,
            4 => FootStage::Played,
            5 => FootStage::FullTurn,
            6 => FootStage::Fresh,
            _ => return Err(reader.wrong("a foot")),
        };
        let known = reader.list("known cards", |r| Ok((r.byte("a kind")?, r.byte("a count")?)))?;
        for (kind, count) in known {
            let entry = seat.known.get_mut(usize::from(kind));
            *entry.ok_or_else(|| reader.wrong("a kind"))? = count;
        }
    }
    Ok(())
}

fn write_teams(writer: &mut Writer, state: &State) {
    for team in &state.table.teams {
        writer.points(team.total);
        writer.bytes(&team.red_threes);
        writer.list(&team.melds, |writer, meld| {
            writer.byte(match meld.rank() {
                MeldRank::Natural(kind) => u8::try_from(kind.index()).unwrap_or(WILD),
                MeldRank::Wild => WILD,
            });
            writer.cards(&meld.cards(&state.rules));
            // Where no red three lies on a book there is nothing to write.
            if has_caps(&state.rules) {
                writer.byte(match meld.shape().cap {
                    Cap::Bare => 0,
                    Cap::Capped => 1,
                });
            }
        });
    }
}

/// The byte of a meld of wild cards; a kind's number is below it.
const WILD: u8 = u8::MAX;

fn read_teams(reader: &mut Reader<'_>, table: &mut PublicTable) -> Read<()> {
    for team in &mut table.teams {
        team.total = reader.points()?;
        team.red_threes = reader.array("red threes")?;
        let melds = reader.list("melds", read_meld)?;
        team.melds.extend(melds);
    }
    Ok(())
}

fn read_meld(reader: &mut Reader<'_>) -> Read<Meld> {
    use handfoot_cards::Role;
    let rank = match reader.byte("a rank")? {
        WILD => MeldRank::Wild,
        kind if usize::from(kind) < KINDS_MAX => Kind::from_index(usize::from(kind))
            .map(MeldRank::Natural)
            .ok_or_else(|| reader.wrong("a rank"))?,
        _ => return Err(reader.wrong("a rank")),
    };
    let mut meld = Meld::new(rank);
    for card in reader.cards()?.iter() {
        let belongs = match reader.rules.role(card.kind()) {
            Role::Wild => true,
            Role::Natural | Role::RedThree | Role::BlackThree => {
                rank == MeldRank::Natural(card.kind())
            }
        };
        if !belongs {
            return Err(reader.wrong("cards of one rank"));
        }
        meld.insert(card, reader.rules);
    }
    if has_caps(reader.rules) {
        meld.set_cap(match reader.byte("whether a red three lies on a book")? {
            0 => Cap::Bare,
            1 => Cap::Capped,
            _ => return Err(reader.wrong("whether a red three lies on a book")),
        });
    }
    Ok(meld)
}

/// Whether red threes lie on books in these rules.
fn has_caps(rules: &Rules) -> bool {
    rules.draft().red_three.mode == RedThreeMode::Blocker
}

pub(super) fn write_result(writer: &mut Writer, result: &RoundResult, rules: &Rules) {
    writer.number(u64::from(result.round_index));
    write_end(writer, result.how);
    writer.number(u64::from(result.turns));
    for (line, entry) in result.scores.iter().flat_map(RoundScore::lines) {
        if line.is_used_by(rules) {
            writer.number(u64::from(entry.count));
            writer.points(entry.points);
        }
    }
    for shown in &result.shown {
        writer.cards(&shown.own);
        writer.list(&shown.packets, Writer::cards);
    }
    writer.bytes(&result.seed);
}

pub(super) fn read_result(reader: &mut Reader<'_>) -> Read<RoundResult> {
    let rules = Arc::clone(reader.rules);
    let (teams, seats) = (rules.teams(), rules.seats());
    let round_index = reader.small("a round")?;
    let how = read_end(reader)?;
    let turns = reader.small("a number of turns")?;
    let mut scores = vec![RoundScore::default(); teams];
    for score in &mut scores {
        for line in ScoreLine::ALL.into_iter().filter(|line| line.is_used_by(&rules)) {
            let count = reader.small("a count")?;
            score.count(line, count, 0);
            score.points(line, reader.points()?);
        }
    }
    let mut shown = Vec::with_capacity(seats);
    for _ in 0..seats {
        let own: Cards = reader.cards()?;
        shown.push(ShownCards { own, packets: reader.list("packets", Reader::cards)? });
    }
    let seed = reader.array("a seed")?;
    Ok(RoundResult { round_index, how, turns, scores, shown, seed })
}
