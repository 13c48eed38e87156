//! From genes to a draft: the values among which each gene picks.
//!
//! **Invariant:** the first of the values is that of `whitnack`; the others are those that tables
//! play, and some at the edge.

use handfoot_cards::{NamedKind, Role};
use handfoot_rules::*;

use super::Genes;

/// Genes that are read, at most.
pub const GENES: usize = 96;

/// Reads genes one after the other.
struct Reader<'a>(std::slice::Iter<'a, u8>);

impl Reader<'_> {
    fn pick<T: Clone>(&mut self, values: &[T]) -> T {
        let gene = usize::from(self.0.next().copied().unwrap_or_default());
        values[gene % values.len()].clone()
    }

    /// One value for all rounds, or a list by round.
    fn by_round<T: Clone>(&mut self, values: &[T], lists: &[&[T]]) -> PerRound<T> {
        let same = self.pick(values);
        let mut all = vec![PerRound::Same(same)];
        all.extend(lists.iter().map(|list| PerRound::Each(list.to_vec())));
        // One value for all rounds twice as often as any list.
        all.insert(0, all[0].clone());
        self.pick(&all)
    }
}

pub(super) fn draft(genes: &Genes) -> RulesDraft {
    let mut draft = Preset::all()[0].draft(None, None).expect("the default preset has a table");
    let read = &mut Reader(genes.0.iter());
    table(&mut draft, read);
    deal(&mut draft, read);
    threes(&mut draft, read);
    melds(&mut draft, read);
    opening(&mut draft, read);
    discards(&mut draft, read);
    going_out(&mut draft, read);
    end(&mut draft, read);
    score(&mut draft, read);
    draft
}

fn table(draft: &mut RulesDraft, read: &mut Reader<'_>) {
    draft.players = read.pick(&[4, 2, 3, 5, 6, 8, 4, 4, 7, 9, 10, 12, 11]);
    let sizes: Vec<u8> = (1..=6)
        .filter(|size| draft.players.is_multiple_of(*size) && draft.players / size >= 2)
        .collect();
    let usual = sizes.iter().position(|size| *size == 2).unwrap_or(0);
    let sizes: Vec<u8> = sizes[usual..].iter().chain(&sizes[..usual]).copied().collect();
    draft.team_size = read.pick(&sizes);
    let players = draft.players;
    draft.decks = read.pick(&[
        Decks::PerPlayer(1),
        Decks::PerPlayer(0),
        Decks::PerPlayer(2),
        Decks::Fixed(players.max(2)),
        Decks::Fixed(players + 1),
        Decks::Fixed((players + 3).min(14)),
    ]);
    draft.jokers_per_deck = read.pick(&[2, 0, 1, 4, 8, 3]);
    if read.pick(&[Kinds::Standard, Kinds::Standard, Kinds::Standard, Kinds::Own]) == Kinds::Own {
        let faces = read.pick(&[12, 5, 2, 17]);
        own_pack(draft, faces);
    }
}

/// Whether the pack is the standard one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kinds {
    Standard,
    Own,
}

/// A pack like that of Hand 'n Foot: numbered ranks, two wild kinds, a lady and a villain.
fn own_pack(draft: &mut RulesDraft, n_ranks: u8) {
    let players = u16::from(draft.players);
    let naturals = (players * 50).min(700) / u16::from(n_ranks);
    let each = u8::try_from(naturals.min(240)).unwrap_or(240).max(1);
    let kind = |name: String, number: u8, role| NamedKind { name, number, role };
    let few = (draft.players * 3).min(30);
    let mut kinds: Vec<NamedKind> =
        (1..=n_ranks.min(16)).map(|rank| kind(rank.to_string(), each, Role::Natural)).collect();
    kinds.push(kind("Joker".to_owned(), few, Role::Wild));
    kinds.push(kind("Jester".to_owned(), few, Role::Wild));
    if n_ranks > 2 {
        kinds.push(kind("Lady".to_owned(), few, Role::RedThree));
        kinds.push(kind("Villain".to_owned(), few, Role::BlackThree));
    }
    let value = |role| match role {
        Role::Natural => 10,
        Role::Wild => 25,
        Role::RedThree | Role::BlackThree => 0,
    };
    draft.card_value.0 = kinds.iter().map(|kind| (kind.name.clone(), value(kind.role))).collect();
    draft.pack = PackChoice::Kinds(kinds);
}

fn deal(draft: &mut RulesDraft, read: &mut Reader<'_>) {
    let sizes: Vec<Vec<u8>> = [
        &[13, 13][..],
        &[11, 11],
        &[11, 13],
        &[13, 11],
        &[7, 7],
        &[4, 3],
        &[13, 3],
        &[13],
        &[9, 8, 7],
        &[5, 1, 2],
        &[6, 5, 4, 3],
        &[1, 1],
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    let lists: [&[Vec<u8>]; 2] =
        [&[vec![5, 4], vec![7, 3, 2], vec![6]], &[vec![11, 11], vec![13, 13]]];
    draft.packets = read.by_round(&sizes, &lists);
    draft.upcard.deal = read.pick(&[UpcardDeal::Turned, UpcardDeal::None]);
    use Buried::{BlackThree, RedThree, Wild};
    let bury: [&[Buried]; 6] = [
        &[Wild, RedThree],
        &[],
        &[RedThree],
        &[Wild],
        &[Wild, RedThree, BlackThree],
        &[BlackThree],
    ];
    draft.upcard.bury = read.pick(&bury).to_vec();
    draft.exact_pick = read.pick(&[
        ExactPick { bonus: 0, model: ExactPickModel::Off },
        ExactPick { bonus: 100, model: ExactPickModel::Chance(0.5) },
        ExactPick { bonus: 300, model: ExactPickModel::Chance(1.0) },
        ExactPick { bonus: 100, model: ExactPickModel::Entered },
        ExactPick { bonus: 0, model: ExactPickModel::Entered },
    ]);
    let factor = read.pick(&[1, 2, 0, -1]);
    draft.card_value.0.values_mut().for_each(|value| *value *= factor);
}

fn threes(draft: &mut RulesDraft, read: &mut Reader<'_>) {
    let red = &mut draft.red_three;
    red.mode = read.pick(&[RedThreeMode::Bonus, RedThreeMode::Penalty, RedThreeMode::Blocker]);
    red.laid = read.pick(&[Some(100), Some(200), Some(0), Some(-50)]);
    red.held = read.pick(&[-100, -500, 0, 100, -300]);
    red.all = read.pick(&[None, Some(1000), Some(0)]);
    red.needs = read.pick(&[
        None,
        Some(BookNeeded::Any),
        Some(BookNeeded::Clean),
        Some(BookNeeded::Dirty),
        Some(BookNeeded::Wild),
        Some(BookNeeded::Sevens),
    ]);
    red.no_stock = read.pick(&[NoStock::EndInDrawStep, NoStock::EndAlways, NoStock::Skip]);
    red.from_discards = read.pick(&[FromDiscards::NotReplaced, FromDiscards::Replaced]);
    let black = &mut draft.black_three;
    black.meld =
        read.pick(&[BlackThreeMeld::Never, BlackThreeMeld::Set, BlackThreeMeld::SetWhenGoingOut]);
    black.melded_value = read.pick(&[None, Some(-5), Some(5), Some(0)]);
    black.book_bonus = read.pick(&[None, Some(100), Some(300), Some(-100)]);
}

fn melds(draft: &mut RulesDraft, read: &mut Reader<'_>) {
    draft.meld_min = read.pick(&[3, 2, 4]);
    draft.book_size = read.pick(&[7, 5, 6, 8, 4, 9, 12, 3]);
    let grown = [ExtendBook::None, ExtendBook::Natural, ExtendBook::Any];
    draft.extend.clean = read.pick(&grown);
    draft.extend.dirty = read.pick(&grown);
    draft.extend.wild = read.pick(&[ExtendWild::None, ExtendWild::Wild]);
    let ratio = |numerator, denominator| Ratio { numerator, denominator };
    draft.wild_limit.a =
        read.pick(&[ratio(2, 1), ratio(1, 1), ratio(0, 1), ratio(3, 2), ratio(3, 1), ratio(1, 3)]);
    draft.wild_limit.b = read.pick(&[0, 1, -1, 2]);
    draft.wild_limit.max = read.pick(&[None, Some(3), Some(2), Some(1), Some(0)]);
    draft.wild_limit.min_natural = read.pick(&[2, 1, 3, 4]);
    draft.wild_meld = read.pick(&[WildMeld::Allowed, WildMeld::Barred]);
    draft.per_rank.open = read.pick(&[1, 2, 3, 60]);
    draft.per_rank.total = read.pick(&[None, Some(1), Some(2), Some(3)]);
    let ranks = match &draft.pack {
        PackChoice::Standard => ["7", "A"],
        PackChoice::Kinds(_) => ["2", "1"],
    };
    let special = |rank: &str, read: &mut Reader<'_>| SpecialRank {
        rank: rank.to_owned(),
        book_bonus: read.pick(&[1500, 2000, 0]),
        discard_lock: read.pick(&[
            DiscardLock::None,
            DiscardLock::UntilOwnTeam,
            DiscardLock::UntilEachTeam,
        ]),
        last_discard: read.pick(&[SpecialLastDiscard::Allowed, SpecialLastDiscard::Banned]),
    };
    let all = ranks.map(|rank| special(rank, read));
    let n_special = read.pick(&[0, 0, 1, 2]);
    draft.special = all.into_iter().take(n_special).collect();
}

fn opening(draft: &mut RulesDraft, read: &mut Reader<'_>) {
    use OpeningStep::{Book, Points};
    let lists: [&[OpeningStep]; 7] = [
        &[Points(50), Points(90), Points(120), Points(150)],
        &[Points(0)],
        &[Points(30), Points(60)],
        &[Points(50), Points(90), Points(120), Book(OpeningBook::BookFromHand)],
        &[Book(OpeningBook::BookFromHand)],
        &[Book(OpeningBook::CleanBook), Points(50)],
        &[Points(15)],
    ];
    draft.opening.steps = read.pick(&lists).to_vec();
    let thresholds = (-1..).take(draft.opening.steps.len()).map(|at| at * 300).collect();
    draft.opening.by = read.pick(&[OpeningBy::Round, OpeningBy::TeamScore(thresholds)]);
    draft.opening.wilds = read.pick(&[OpeningWilds::Count, OpeningWilds::Ignored]);
    draft.opening.via_discards =
        read.pick(&[OpeningViaDiscards::Allowed, OpeningViaDiscards::Barred]);
}

fn discards(draft: &mut RulesDraft, read: &mut Reader<'_>) {
    draft.draw = read.by_round(&[2, 1, 3, 5, 4], &[&[3, 3, 4, 5], &[1, 2]]);
    use TakeCount::{All, Top};
    let counts = [Top(7), All, Top(5), Top(1), Top(3), Top(4)];
    draft.take.count = read.by_round(&counts, &[&[Top(3), Top(3), Top(4), Top(5)], &[All, Top(1)]]);
    draft.take.min_size = read.pick(&[1, 2, 3, 7]);
    draft.take.matching = read.pick(&[
        TakeMatch::NaturalPair,
        TakeMatch::PairOrAddToMeld,
        TakeMatch::NaturalPlusWild,
        TakeMatch::OneNatural,
    ]);
    draft.take.wild_top = read.pick(&[WildTop::MatchingPair, WildTop::Barred]);
    draft.take.first_upcard = read.pick(&[FirstUpcard::Matched, FirstUpcard::Free]);
    draft.wild_discard =
        read.pick(&[WildDiscard::Plain, WildDiscard::Freeze, WildDiscard::RemoveDiscards]);
}

fn going_out(draft: &mut RulesDraft, read: &mut Reader<'_>) {
    draft.foot.trigger = read.pick(&[FootTrigger::HandEmpty, FootTrigger::FirstBook]);
    draft.foot.after_meld = read.pick(&[FootAfterMeld::Continue, FootAfterMeld::EndTurn]);
    draft.foot.after_discard = read.pick(&[
        FootAfterDiscard::StartOfNextTurn,
        FootAfterDiscard::EndOfTurn,
        FootAfterDiscard::NotAllowed,
    ]);
    let need = |clean, dirty, wild, sevens, total| Need { clean, dirty, wild, sevens, total };
    let needs = [
        need(2, 2, 1, 0, 0),
        need(0, 0, 0, 0, 0),
        need(0, 0, 0, 0, 1),
        need(1, 0, 0, 0, 0),
        need(0, 1, 0, 0, 2),
        need(0, 0, 1, 0, 0),
        need(1, 1, 0, 1, 0),
        need(0, 0, 0, 1, 0),
    ];
    draft.need = read.by_round(&needs, &[&[needs[2], needs[3]], &[needs[1], needs[0], needs[4]]]);
    draft.partner = read.pick(&[
        PartnerCondition::PartOfTurn,
        PartnerCondition::None,
        PartnerCondition::InFoot,
        PartnerCondition::FullTurn,
    ]);
    draft.permission = read.pick(&[Permission::Ask, Permission::None]);
    draft.last_discard =
        read.pick(&[LastDiscard::Optional, LastDiscard::Required, LastDiscard::Forbidden]);
}

fn end(draft: &mut RulesDraft, read: &mut Reader<'_>) {
    draft.stock_out.trigger = read.pick(&[StockTrigger::CannotDraw, StockTrigger::Empty]);
    draft.stock_out.short = read.pick(&[StockShort::End, StockShort::DrawRest]);
    draft.stock_out.then = read.pick(&[
        StockThen::EndRound,
        StockThen::ReshuffleDiscards,
        StockThen::AddDeck,
        StockThen::PlayOn,
    ]);
    draft.stock_out.max_added = read.pick(&[Some(1), Some(2)]);
    draft.length.rounds = read.pick(&[Some(4), Some(1), Some(2), None]);
    draft.length.target = read.pick(&[None, Some(500), Some(3000), Some(20_000)]);
    draft.length.tie = read.pick(&[Tie::ExtraRound, Tie::Shared]);
}

fn score(draft: &mut RulesDraft, read: &mut Reader<'_>) {
    draft.out_bonus = read.pick(&[100, 0, 200, 1000]);
    draft.book_bonus.clean = read.pick(&[500, 300, 0]);
    draft.book_bonus.dirty = read.pick(&[300, 100, -100]);
    draft.book_bonus.wild = read.pick(&[1500, 1000, 2000]);
    draft.unfinished_second = read.pick(&[UnfinishedSecond::Plus, UnfinishedSecond::Minus]);
}
