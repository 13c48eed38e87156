//! A rule set as it is sent.
//!
//! **Invariant:** every field of the draft is sent, set.

use handfoot_rules::{
    Decks, ExactPickModel, Extend, Foot, Length, Opening, OpeningBy, OpeningStep, PackChoice,
    RedThree, RulesDraft, StockOut, Take, TakeCount, WildLimit,
};

use super::words;
use crate::v1;
use crate::view::{count, need};

/// A rule set as it is sent, complete.
#[must_use]
pub fn encode_draft(draft: &RulesDraft) -> v1::RulesDraft {
    v1::RulesDraft {
        players: Some(count(draft.players)),
        team_size: Some(count(draft.team_size)),
        decks: Some(decks(draft.decks)),
        jokers_per_deck: Some(count(draft.jokers_per_deck)),
        packets: Some(v1::PacketsByRound {
            rounds: draft.packets.values().iter().map(|sizes| packets(sizes)).collect(),
        }),
        upcard: Some(v1::Upcard {
            deal: words::upcard_deal(draft.upcard.deal),
            bury: draft.upcard.bury.iter().map(|sort| words::buried(*sort)).collect(),
        }),
        exact_pick: Some(exact_pick(draft.exact_pick.bonus, draft.exact_pick.model)),
        card_value: Some(v1::CardValues { values: card_values(draft) }),
        red_three: Some(red_three(draft.red_three)),
        black_three: Some(v1::BlackThree {
            meld: words::black_three_meld(draft.black_three.meld),
            melded_value: draft.black_three.melded_value,
            book_bonus: draft.black_three.book_bonus,
        }),
        meld_min: Some(count(draft.meld_min)),
        book_size: Some(count(draft.book_size)),
        extend: Some(extend(draft.extend)),
        wild_limit: Some(wild_limit(draft.wild_limit)),
        wild_meld: Some(words::wild_meld(draft.wild_meld)),
        per_rank: Some(v1::PerRank {
            open: count(draft.per_rank.open),
            total: draft.per_rank.total.map(count),
        }),
        special: Some(v1::SpecialRanks { ranks: special(draft) }),
        opening: Some(opening(&draft.opening)),
        ..play_and_end(draft)
    }
}

/// D.1 #23 to #36.
fn play_and_end(draft: &RulesDraft) -> v1::RulesDraft {
    v1::RulesDraft {
        draw: Some(v1::DrawByRound {
            rounds: draft.draw.values().iter().map(|cards| count(*cards)).collect(),
        }),
        take: Some(take(&draft.take)),
        wild_discard: Some(words::wild_discard(draft.wild_discard)),
        foot: Some(foot(draft.foot)),
        need: Some(v1::NeedByRound {
            rounds: draft.need.values().iter().map(|books| need(*books)).collect(),
        }),
        partner: Some(words::partner(draft.partner)),
        permission: Some(words::permission(draft.permission)),
        last_discard: Some(words::last_discard(draft.last_discard)),
        stock_out: Some(stock_out(draft.stock_out)),
        out_bonus: Some(draft.out_bonus),
        book_bonus: Some(v1::BookBonus {
            clean: draft.book_bonus.clean,
            dirty: draft.book_bonus.dirty,
            wild: draft.book_bonus.wild,
        }),
        unfinished_second: Some(words::unfinished_second(draft.unfinished_second)),
        length: Some(length(draft.length)),
        pack: Some(pack(&draft.pack)),
        ..v1::RulesDraft::default()
    }
}

fn decks(decks: Decks) -> v1::Decks {
    let decks = match decks {
        Decks::PerPlayer(more) => v1::decks::Decks::PerPlayer(count(more)),
        Decks::Fixed(number) => v1::decks::Decks::Fixed(count(number)),
    };
    v1::Decks { decks: Some(decks) }
}

fn packets(sizes: &[u8]) -> v1::Packets {
    v1::Packets { sizes: sizes.iter().map(|size| count(*size)).collect() }
}

fn exact_pick(bonus: i32, model: ExactPickModel) -> v1::ExactPick {
    let (model, chance) = match model {
        ExactPickModel::Off => (v1::ExactPickModel::Off, None),
        ExactPickModel::Chance(chance) => (v1::ExactPickModel::Chance, Some(chance)),
        ExactPickModel::Entered => (v1::ExactPickModel::Entered, None),
    };
    v1::ExactPick { bonus, model: model as i32, chance }
}

fn card_values(draft: &RulesDraft) -> Vec<v1::CardValue> {
    let values = draft.card_value.0.iter();
    values.map(|(name, points)| v1::CardValue { name: name.clone(), points: *points }).collect()
}

fn red_three(of: RedThree) -> v1::RedThree {
    v1::RedThree {
        mode: words::red_three_mode(of.mode),
        laid: of.laid,
        held: of.held,
        all: of.all,
        needs: of.needs.map(words::book_needed),
        no_stock: words::no_stock(of.no_stock),
        from_discards: words::from_discards(of.from_discards),
    }
}

fn extend(of: Extend) -> v1::Extend {
    v1::Extend {
        clean: words::extend_book(of.clean),
        dirty: words::extend_book(of.dirty),
        wild: words::extend_wild(of.wild),
    }
}

fn wild_limit(of: WildLimit) -> v1::WildLimit {
    v1::WildLimit {
        a: Some(v1::Ratio {
            numerator: i32::from(of.a.numerator),
            denominator: i32::from(of.a.denominator),
        }),
        b: i32::from(of.b),
        max: of.max.map(count),
        min_natural: count(of.min_natural),
    }
}

fn special(draft: &RulesDraft) -> Vec<v1::SpecialRank> {
    let ranks = draft.special.iter().map(|of| v1::SpecialRank {
        rank: of.rank.clone(),
        book_bonus: of.book_bonus,
        discard_lock: words::discard_lock(of.discard_lock),
        last_discard: words::special_last(of.last_discard),
    });
    ranks.collect()
}

fn opening(of: &Opening) -> v1::Opening {
    let (by, thresholds) = match &of.by {
        OpeningBy::Round => (v1::OpeningBy::Round, Vec::new()),
        OpeningBy::TeamScore(thresholds) => (v1::OpeningBy::TeamScore, thresholds.clone()),
    };
    let step = |step: &OpeningStep| {
        let step = match step {
            OpeningStep::Points(points) => v1::opening_step::Step::Points(*points),
            OpeningStep::Book(book) => v1::opening_step::Step::Book(words::opening_book(*book)),
        };
        v1::OpeningStep { step: Some(step) }
    };
    v1::Opening {
        by: by as i32,
        thresholds,
        steps: of.steps.iter().map(step).collect(),
        wilds: words::opening_wilds(of.wilds),
        via_discards: words::via_discards(of.via_discards),
    }
}

fn take(of: &Take) -> v1::Take {
    let count_of = |cards: &TakeCount| {
        let cards = match cards {
            TakeCount::Top(cards) => v1::take_count::Count::Top(count(*cards)),
            TakeCount::All => v1::take_count::Count::All(v1::TakeAll {}),
        };
        v1::TakeCount { count: Some(cards) }
    };
    v1::Take {
        count: of.count.values().iter().map(count_of).collect(),
        min_size: count(of.min_size),
        matching: words::take_match(of.matching),
        wild_top: words::wild_top(of.wild_top),
        first_upcard: words::first_upcard(of.first_upcard),
    }
}

fn foot(of: Foot) -> v1::Foot {
    v1::Foot {
        trigger: words::foot_trigger(of.trigger),
        after_meld: words::foot_after_meld(of.after_meld),
        after_discard: words::foot_after_discard(of.after_discard),
    }
}

fn stock_out(of: StockOut) -> v1::StockOut {
    v1::StockOut {
        trigger: words::stock_trigger(of.trigger),
        short: words::stock_short(of.short),
        then: words::stock_then(of.then),
        max_added: of.max_added.map(count),
    }
}

fn length(of: Length) -> v1::Length {
    v1::Length { rounds: of.rounds.map(count), target: of.target, tie: words::tie(of.tie) }
}

fn pack(of: &PackChoice) -> v1::PackChoice {
    let pack = match of {
        PackChoice::Standard => v1::pack_choice::Pack::Standard(v1::StandardPack {}),
        PackChoice::Kinds(kinds) => {
            let kinds = kinds.iter().map(|kind| v1::NamedKind {
                name: kind.name.clone(),
                number: count(kind.number),
                role: words::role(kind.role),
            });
            v1::pack_choice::Pack::Named(v1::NamedPack { kinds: kinds.collect() })
        }
    };
    v1::PackChoice { pack: Some(pack) }
}
