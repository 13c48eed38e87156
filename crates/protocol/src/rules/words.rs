//! The choices of a rule set, both ways.
//!
//! **Invariant:** one table an enum; both directions come from it.

use handfoot_cards::Role;
use handfoot_rules::{
    BlackThreeMeld, BookNeeded, Buried, DiscardLock, ExtendBook, ExtendWild, FirstUpcard,
    FootAfterDiscard, FootAfterMeld, FootTrigger, FromDiscards, LastDiscard, NoStock, OpeningBook,
    OpeningViaDiscards, OpeningWilds, PartnerCondition, Permission, RedThreeMode,
    SpecialLastDiscard, StockShort, StockThen, StockTrigger, TakeMatch, Tie, UnfinishedSecond,
    UpcardDeal, WildDiscard, WildMeld, WildTop,
};

use crate::decode::pairs;

pairs! {
    role / read_role: Role = Role {
        Natural = Natural, Wild = Wild, RedThree = RedThree, BlackThree = BlackThree,
    }
    upcard_deal / read_upcard_deal: UpcardDeal = UpcardDeal { Turned = Turned, None = None }
    buried / read_buried: Buried = BuriedCard {
        Wild = Wild, RedThree = RedThree, BlackThree = BlackThree,
    }
    red_three_mode / read_red_three_mode: RedThreeMode = RedThreeMode {
        Bonus = Bonus, Penalty = Penalty, Blocker = Blocker,
    }
    book_needed / read_book_needed: BookNeeded = BookNeeded {
        Any = Any, Clean = Clean, Dirty = Dirty, Wild = Wild, Sevens = Sevens,
    }
    no_stock / read_no_stock: NoStock = NoStock {
        EndInDrawStep = EndInDrawStep, EndAlways = EndAlways, Skip = Skip,
    }
    from_discards / read_from_discards: FromDiscards = FromDiscards {
        Replaced = Replaced, NotReplaced = NotReplaced,
    }
    black_three_meld / read_black_three_meld: BlackThreeMeld = BlackThreeMeld {
        Never = Never, Set = Set, SetWhenGoingOut = SetWhenGoingOut,
    }
    extend_book / read_extend_book: ExtendBook = ExtendBook {
        None = None, Natural = Natural, Any = Any,
    }
    extend_wild / read_extend_wild: ExtendWild = ExtendWild { None = None, Wild = Wild }
    wild_meld / read_wild_meld: WildMeld = WildMeld { Allowed = Allowed, Barred = Barred }
    discard_lock / read_discard_lock: DiscardLock = DiscardLock {
        None = None, UntilOwnTeam = UntilOwnTeam, UntilEachTeam = UntilEachTeam,
    }
    special_last / read_special_last: SpecialLastDiscard = SpecialLastDiscard {
        Allowed = Allowed, Banned = Banned,
    }
    opening_book / read_opening_book: OpeningBook = OpeningBook {
        BookFromHand = BookFromHand, CleanBook = CleanBook,
    }
    opening_wilds / read_opening_wilds: OpeningWilds = OpeningWilds {
        Count = Count, Ignored = Ignored,
    }
    via_discards / read_via_discards: OpeningViaDiscards = OpeningViaDiscards {
        Allowed = Allowed, Barred = Barred,
    }
    take_match / read_take_match: TakeMatch = TakeMatch {
        NaturalPair = NaturalPair,
        PairOrAddToMeld = PairOrAddToMeld,
        NaturalPlusWild = NaturalPlusWild,
        OneNatural = OneNatural,
    }
    wild_top / read_wild_top: WildTop = WildTop { Barred = Barred, MatchingPair = MatchingPair }
    first_upcard / read_first_upcard: FirstUpcard = FirstUpcard { Matched = Matched, Free = Free }
    wild_discard / read_wild_discard: WildDiscard = WildDiscard {
        Plain = Plain, Freeze = Freeze, RemoveDiscards = RemoveDiscards,
    }
    foot_trigger / read_foot_trigger: FootTrigger = FootTrigger {
        HandEmpty = HandEmpty, FirstBook = FirstBook,
    }
    foot_after_meld / read_foot_after_meld: FootAfterMeld = FootAfterMeld {
        Continue = Continue, EndTurn = EndTurn,
    }
    foot_after_discard / read_foot_after_discard: FootAfterDiscard = FootAfterDiscard {
        StartOfNextTurn = StartOfNextTurn, EndOfTurn = EndOfTurn, NotAllowed = NotAllowed,
    }
    partner / read_partner: PartnerCondition = PartnerCondition {
        None = None, InFoot = InFoot, PartOfTurn = PartOfTurn, FullTurn = FullTurn,
    }
    permission / read_permission: Permission = Permission { None = None, Ask = Ask }
    last_discard / read_last_discard: LastDiscard = LastDiscard {
        Optional = Optional, Required = Required, Forbidden = Forbidden,
    }
    stock_trigger / read_stock_trigger: StockTrigger = StockTrigger {
        CannotDraw = CannotDraw, Empty = Empty,
    }
    stock_short / read_stock_short: StockShort = StockShort { End = End, DrawRest = DrawRest }
    stock_then / read_stock_then: StockThen = StockThen {
        EndRound = EndRound,
        ReshuffleDiscards = ReshuffleDiscards,
        AddDeck = AddDeck,
        PlayOn = PlayOn,
    }
    unfinished_second / read_unfinished_second: UnfinishedSecond = UnfinishedSecond {
        Plus = Plus, Minus = Minus,
    }
    tie / read_tie: Tie = Tie { ExtraRound = ExtraRound, Shared = Shared }
}
