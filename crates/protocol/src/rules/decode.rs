//! A received rule set.
//!
//! **Invariant:** a draft may be nonsense, as long as it fits its fields; whether it can be played
//! is for [`handfoot_rules::Rules::new`] to say.

use std::collections::BTreeMap;

use handfoot_cards::NamedKind;
use handfoot_rules::limits::{
    BURY_MAX, CARD_VALUES_MAX, PACKETS_MAX, ROUND_LIST_MAX, SPECIAL_MAX, STEPS_MAX,
};
use handfoot_rules::{
    BlackThree, BookBonus, CardValues, Decks, ExactPick, ExactPickModel, Extend, Foot, Length,
    Opening, OpeningBy, OpeningStep, PackChoice, PerRank, PerRound, Ratio, RedThree, RulesDraft,
    SpecialRank, StockOut, Take, TakeCount, Upcard, WildLimit,
};

use super::words;
use crate::decode::{At, DecodeError, DecodeProblem};
use crate::v1;
use crate::view::read_need;

/// Bytes of a name in a rule set.
const NAME_BYTES_MAX: usize = 64;

/// A complete rule set that was received.
///
/// # Errors
///
/// The first [`DecodeError`]; a parameter that is not set is one.
pub fn decode_draft(draft: &v1::RulesDraft) -> Result<RulesDraft, DecodeError> {
    read_draft(draft, At::Root)
}

/// Reads fields that must be set: `field!(draft, at, take, read)`.
macro_rules! field {
    ($from:ident, $at:ident, $name:ident) => {{
        let at = $at.field(stringify!($name));
        (at.set($from.$name.as_ref())?, at)
    }};
    ($from:ident, $at:ident, $name:ident, $read:expr) => {{
        let (value, at) = field!($from, $at, $name);
        $read(value, at)?
    }};
}

/// Reads a word that must be set.
macro_rules! word {
    ($from:ident, $at:ident, $name:ident, $read:expr) => {{
        let (number, at) = field!($from, $at, $name);
        $read(*number, at)?
    }};
}

pub(super) fn read_draft(draft: &v1::RulesDraft, at: At<'_>) -> Result<RulesDraft, DecodeError> {
    Ok(RulesDraft {
        players: field!(draft, at, players, read_u8),
        team_size: field!(draft, at, team_size, read_u8),
        decks: field!(draft, at, decks, read_decks),
        jokers_per_deck: field!(draft, at, jokers_per_deck, read_u8),
        packets: field!(draft, at, packets, read_packets),
        upcard: field!(draft, at, upcard, read_upcard),
        exact_pick: field!(draft, at, exact_pick, read_exact_pick),
        card_value: field!(draft, at, card_value, read_card_values),
        red_three: field!(draft, at, red_three, read_red_three),
        black_three: field!(draft, at, black_three, read_black_three),
        meld_min: field!(draft, at, meld_min, read_u8),
        book_size: field!(draft, at, book_size, read_u8),
        extend: field!(draft, at, extend, read_extend),
        wild_limit: field!(draft, at, wild_limit, read_wild_limit),
        wild_meld: word!(draft, at, wild_meld, words::read_wild_meld),
        per_rank: field!(draft, at, per_rank, read_per_rank),
        special: field!(draft, at, special, read_special),
        opening: field!(draft, at, opening, read_opening),
        draw: field!(draft, at, draw, read_draw),
        take: field!(draft, at, take, read_take),
        wild_discard: word!(draft, at, wild_discard, words::read_wild_discard),
        foot: field!(draft, at, foot, read_foot),
        need: field!(draft, at, need, read_needs),
        partner: word!(draft, at, partner, words::read_partner),
        permission: word!(draft, at, permission, words::read_permission),
        last_discard: word!(draft, at, last_discard, words::read_last_discard),
        stock_out: field!(draft, at, stock_out, read_stock_out),
        out_bonus: *field!(draft, at, out_bonus).0,
        book_bonus: field!(draft, at, book_bonus, read_book_bonus),
        unfinished_second: word!(draft, at, unfinished_second, words::read_unfinished_second),
        length: field!(draft, at, length, read_length),
        pack: field!(draft, at, pack, read_pack),
    })
}

fn read_u8(number: &u32, at: At<'_>) -> Result<u8, DecodeError> {
    at.number(*number, u8::MAX)
}

fn read_optional_u8(number: Option<u32>, at: At<'_>) -> Result<Option<u8>, DecodeError> {
    number.map(|number| at.number(number, u8::MAX)).transpose()
}

/// A list by round: one entry is the same for all rounds.
fn read_by_round<T, R>(
    list: &[T],
    at: At<'_>,
    read: impl Fn(&T, At<'_>) -> Result<R, DecodeError>,
) -> Result<PerRound<R>, DecodeError> {
    at.at_most(list.len(), ROUND_LIST_MAX)?;
    let read = list.iter().enumerate().map(|(index, entry)| read(entry, at.entry(index)));
    let mut values = read.collect::<Result<Vec<R>, _>>()?;
    Ok(match values.len() {
        1 => PerRound::Same(values.remove(0)),
        _ => PerRound::Each(values),
    })
}

fn read_decks(decks: &v1::Decks, at: At<'_>) -> Result<Decks, DecodeError> {
    match at.set(decks.decks.as_ref())? {
        v1::decks::Decks::PerPlayer(more) => {
            Ok(Decks::PerPlayer(read_u8(more, at.field("per_player"))?))
        }
        v1::decks::Decks::Fixed(number) => Ok(Decks::Fixed(read_u8(number, at.field("fixed"))?)),
    }
}

fn read_packets(
    packets: &v1::PacketsByRound,
    at: At<'_>,
) -> Result<PerRound<Vec<u8>>, DecodeError> {
    read_by_round(&packets.rounds, at.field("rounds"), |packets, at| {
        let at = at.field("sizes");
        at.at_most(packets.sizes.len(), PACKETS_MAX)?;
        let sizes = packets.sizes.iter().enumerate();
        sizes.map(|(index, size)| read_u8(size, at.entry(index))).collect()
    })
}

fn read_upcard(upcard: &v1::Upcard, at: At<'_>) -> Result<Upcard, DecodeError> {
    let at_bury = at.field("bury");
    at_bury.at_most(upcard.bury.len(), BURY_MAX)?;
    let bury = upcard.bury.iter().enumerate();
    let bury = bury.map(|(index, sort)| words::read_buried(*sort, at_bury.entry(index)));
    Ok(Upcard {
        deal: words::read_upcard_deal(upcard.deal, at.field("deal"))?,
        bury: bury.collect::<Result<_, _>>()?,
    })
}

fn read_exact_pick(pick: &v1::ExactPick, at: At<'_>) -> Result<ExactPick, DecodeError> {
    let (at_model, at_chance) = (at.field("model"), at.field("chance"));
    let model = match (at_model.known::<v1::ExactPickModel>(pick.model)?, pick.chance) {
        (v1::ExactPickModel::Unspecified, _) => return at_model.unspecified(),
        (v1::ExactPickModel::Off, None) => ExactPickModel::Off,
        (v1::ExactPickModel::Entered, None) => ExactPickModel::Entered,
        (v1::ExactPickModel::Chance, chance) => ExactPickModel::Chance(at_chance.set(chance)?),
        (v1::ExactPickModel::Off | v1::ExactPickModel::Entered, Some(_)) => {
            return Err(at_chance.error(DecodeProblem::Misplaced));
        }
    };
    Ok(ExactPick { bonus: pick.bonus, model })
}

fn read_name(name: &str, at: At<'_>) -> Result<String, DecodeError> {
    match name.len() <= NAME_BYTES_MAX {
        true => Ok(name.to_owned()),
        false => Err(at.error(DecodeProblem::Unreadable)),
    }
}

fn read_card_values(values: &v1::CardValues, at: At<'_>) -> Result<CardValues, DecodeError> {
    let at = at.field("values");
    at.at_most(values.values.len(), CARD_VALUES_MAX)?;
    let mut read = BTreeMap::new();
    for (index, value) in values.values.iter().enumerate() {
        let at = at.entry(index);
        let at = at.field("name");
        if read.insert(read_name(&value.name, at)?, value.points).is_some() {
            return Err(at.error(DecodeProblem::Repeated));
        }
    }
    Ok(CardValues(read))
}

fn read_red_three(of: &v1::RedThree, at: At<'_>) -> Result<RedThree, DecodeError> {
    let needs = of.needs.map(|needs| words::read_book_needed(needs, at.field("needs")));
    Ok(RedThree {
        mode: words::read_red_three_mode(of.mode, at.field("mode"))?,
        laid: of.laid,
        held: of.held,
        all: of.all,
        needs: needs.transpose()?,
        no_stock: words::read_no_stock(of.no_stock, at.field("no_stock"))?,
        from_discards: words::read_from_discards(of.from_discards, at.field("from_discards"))?,
    })
}

fn read_black_three(of: &v1::BlackThree, at: At<'_>) -> Result<BlackThree, DecodeError> {
    Ok(BlackThree {
        meld: words::read_black_three_meld(of.meld, at.field("meld"))?,
        melded_value: of.melded_value,
        book_bonus: of.book_bonus,
    })
}

fn read_extend(of: &v1::Extend, at: At<'_>) -> Result<Extend, DecodeError> {
    Ok(Extend {
        clean: words::read_extend_book(of.clean, at.field("clean"))?,
        dirty: words::read_extend_book(of.dirty, at.field("dirty"))?,
        wild: words::read_extend_wild(of.wild, at.field("wild"))?,
    })
}

fn read_wild_limit(of: &v1::WildLimit, at: At<'_>) -> Result<WildLimit, DecodeError> {
    let (ratio, at_ratio) = field!(of, at, a);
    let least = i64::from(i16::MIN);
    Ok(WildLimit {
        a: Ratio {
            numerator: at_ratio.field("numerator").number_from(ratio.numerator, least, i16::MAX)?,
            denominator: at_ratio.field("denominator").number_from(
                ratio.denominator,
                least,
                i16::MAX,
            )?,
        },
        b: at.field("b").number_from(of.b, i64::from(i8::MIN), i8::MAX)?,
        max: read_optional_u8(of.max, at.field("max"))?,
        min_natural: at.field("min_natural").number(of.min_natural, u8::MAX)?,
    })
}

fn read_per_rank(of: &v1::PerRank, at: At<'_>) -> Result<PerRank, DecodeError> {
    Ok(PerRank {
        open: at.field("open").number(of.open, u8::MAX)?,
        total: read_optional_u8(of.total, at.field("total"))?,
    })
}

fn read_special(of: &v1::SpecialRanks, at: At<'_>) -> Result<Vec<SpecialRank>, DecodeError> {
    let at = at.field("ranks");
    at.at_most(of.ranks.len(), SPECIAL_MAX)?;
    let read = |(index, of): (usize, &v1::SpecialRank)| {
        let at = at.entry(index);
        Ok(SpecialRank {
            rank: read_name(&of.rank, at.field("rank"))?,
            book_bonus: of.book_bonus,
            discard_lock: words::read_discard_lock(of.discard_lock, at.field("discard_lock"))?,
            last_discard: words::read_special_last(of.last_discard, at.field("last_discard"))?,
        })
    };
    of.ranks.iter().enumerate().map(read).collect()
}

fn read_opening(of: &v1::Opening, at: At<'_>) -> Result<Opening, DecodeError> {
    let at_by = at.field("by");
    let at_thresholds = at.field("thresholds");
    at_thresholds.at_most(of.thresholds.len(), STEPS_MAX)?;
    let by = match at_by.known::<v1::OpeningBy>(of.by)? {
        v1::OpeningBy::Unspecified => return at_by.unspecified(),
        v1::OpeningBy::Round => {
            at_thresholds.at_most(of.thresholds.len(), 0)?;
            OpeningBy::Round
        }
        v1::OpeningBy::TeamScore => OpeningBy::TeamScore(of.thresholds.clone()),
    };
    let at_steps = at.field("steps");
    at_steps.at_most(of.steps.len(), STEPS_MAX)?;
    let steps = of.steps.iter().enumerate();
    let steps = steps.map(|(index, step)| read_opening_step(step, at_steps.entry(index)));
    Ok(Opening {
        by,
        steps: steps.collect::<Result<_, _>>()?,
        wilds: words::read_opening_wilds(of.wilds, at.field("wilds"))?,
        via_discards: words::read_via_discards(of.via_discards, at.field("via_discards"))?,
    })
}

fn read_opening_step(step: &v1::OpeningStep, at: At<'_>) -> Result<OpeningStep, DecodeError> {
    match at.set(step.step.as_ref())? {
        v1::opening_step::Step::Points(points) => Ok(OpeningStep::Points(*points)),
        v1::opening_step::Step::Book(book) => {
            Ok(OpeningStep::Book(words::read_opening_book(*book, at.field("book"))?))
        }
    }
}

fn read_draw(draw: &v1::DrawByRound, at: At<'_>) -> Result<PerRound<u8>, DecodeError> {
    read_by_round(&draw.rounds, at.field("rounds"), read_u8)
}

fn read_take(of: &v1::Take, at: At<'_>) -> Result<Take, DecodeError> {
    let count = |count: &v1::TakeCount, at: At<'_>| match at.set(count.count.as_ref())? {
        v1::take_count::Count::Top(cards) => Ok(TakeCount::Top(read_u8(cards, at.field("top"))?)),
        v1::take_count::Count::All(v1::TakeAll {}) => Ok(TakeCount::All),
    };
    Ok(Take {
        count: read_by_round(&of.count, at.field("count"), count)?,
        min_size: at.field("min_size").number(of.min_size, u8::MAX)?,
        matching: words::read_take_match(of.matching, at.field("matching"))?,
        wild_top: words::read_wild_top(of.wild_top, at.field("wild_top"))?,
        first_upcard: words::read_first_upcard(of.first_upcard, at.field("first_upcard"))?,
    })
}

fn read_foot(of: &v1::Foot, at: At<'_>) -> Result<Foot, DecodeError> {
    let at_discard = at.field("after_discard");
    Ok(Foot {
        trigger: words::read_foot_trigger(of.trigger, at.field("trigger"))?,
        after_meld: words::read_foot_after_meld(of.after_meld, at.field("after_meld"))?,
        after_discard: words::read_foot_after_discard(of.after_discard, at_discard)?,
    })
}

fn read_needs(
    of: &v1::NeedByRound,
    at: At<'_>,
) -> Result<PerRound<handfoot_rules::Need>, DecodeError> {
    read_by_round(&of.rounds, at.field("rounds"), read_need)
}

fn read_stock_out(of: &v1::StockOut, at: At<'_>) -> Result<StockOut, DecodeError> {
    Ok(StockOut {
        trigger: words::read_stock_trigger(of.trigger, at.field("trigger"))?,
        short: words::read_stock_short(of.short, at.field("short"))?,
        then: words::read_stock_then(of.then, at.field("then"))?,
        max_added: read_optional_u8(of.max_added, at.field("max_added"))?,
    })
}

fn read_book_bonus(of: &v1::BookBonus, _: At<'_>) -> Result<BookBonus, DecodeError> {
    Ok(BookBonus { clean: of.clean, dirty: of.dirty, wild: of.wild })
}

fn read_length(of: &v1::Length, at: At<'_>) -> Result<Length, DecodeError> {
    Ok(Length {
        rounds: read_optional_u8(of.rounds, at.field("rounds"))?,
        target: of.target,
        tie: words::read_tie(of.tie, at.field("tie"))?,
    })
}

fn read_pack(of: &v1::PackChoice, at: At<'_>) -> Result<PackChoice, DecodeError> {
    let named = match at.set(of.pack.as_ref())? {
        v1::pack_choice::Pack::Standard(v1::StandardPack {}) => return Ok(PackChoice::Standard),
        v1::pack_choice::Pack::Named(named) => named,
    };
    let at = at.field("named");
    let at = at.field("kinds");
    at.at_most(named.kinds.len(), handfoot_cards::KINDS_MAX)?;
    let read = |(index, kind): (usize, &v1::NamedKind)| {
        let at = at.entry(index);
        Ok(NamedKind {
            name: read_name(&kind.name, at.field("name"))?,
            number: at.field("number").number(kind.number, u8::MAX)?,
            role: words::read_role(kind.role, at.field("role"))?,
        })
    };
    Ok(PackChoice::Kinds(named.kinds.iter().enumerate().map(read).collect::<Result<_, _>>()?))
}
