//! Tables to ask about, and good requests to spoil.
//!
//! **Invariant:** no name of a table or of its players is part of another table, or of a request
//! that is made from chance, so that an answer with it in it has it from the table.

use handfoot_protocol::v1;
use handfoot_protocol::v1::set_seat_request::Occupancy;
use handfoot_store::{Mark, TableId};
use prost::Message;

use super::make::{Chance, Rpc};
use super::raw::{ACME, BOTS, OTHER, OTHER_BOTS, READER, Raw};
use crate::api::game::chosen;
use crate::api::kit::{Replica, World, bot, draw, open, submission};

/// Tables by what is done to them. `FAR` is another tenant's; nothing good names `NEAR` but
/// requests for tokens.
pub(super) const TARGET: usize = 0;
pub(super) const NEAR: usize = 1;
pub(super) const LOBBY: usize = 2;
pub(super) const DOOMED: usize = 3;
pub(super) const FAR: usize = 4;
pub(super) const BOT_TABLE: usize = 5;
pub(super) const OFFERS: usize = 6;
const CLOSED: usize = 7;
/// Its rules take numbers lifted.
const LIFTS: usize = 8;
const N_TABLES: usize = 9;

/// A table that is not there.
pub(super) const ABSENT: &str = "0123abcd-0123-4123-8123-0123456789ab";

/// A table and what is known of it.
pub(super) struct Watched {
    pub(super) id: String,
    pub(super) secret: String,
    pub(super) mark: Mark,
}

/// What a request is sent with.
#[derive(Clone, Debug, Default)]
pub(super) struct Credential {
    pub(super) header: Option<String>,
    /// Tables that it lets see.
    pub(super) sees: Vec<usize>,
    /// Whether it lets change them.
    pub(super) changes: bool,
    /// The same for a table that is not there: it must be refused in the same way.
    pub(super) twin: Option<String>,
}

pub(super) struct Hall {
    pub(super) world: World,
    replica: Replica,
    pub(super) raw: Raw,
    pub(super) watched: Vec<Watched>,
    players: Vec<String>,
    old: String,
    legal: v1::LegalActions,
    to_act: usize,
    names: usize,
}

fn occupant(table: usize, seat: u32, secret: &str) -> Option<Occupancy> {
    let name = format!("{secret}-{seat}");
    let person = v1::Person { player_id: name.clone(), display_name: name };
    match (table, seat) {
        (DOOMED, _) | (LOBBY, 4) => None,
        (BOT_TABLE, _) => Some(bot("casual")),
        (OFFERS, _) => Some(open(&["casual"])),
        _ => Some(Occupancy::Person(person)),
    }
}

fn bearer(token: &str) -> Option<String> {
    Some(format!("Bearer {token}"))
}

impl Hall {
    pub(super) async fn new() -> Hall {
        let world = World::new();
        let (replica, raw) = (world.replica(), Raw::new(&world));
        let (watched, players, names) = (Vec::new(), Vec::new(), 0);
        let (old, legal) = (String::new(), v1::LegalActions::default());
        let mut hall = Hall { world, replica, raw, watched, players, old, legal, to_act: 0, names };
        for table in 0..N_TABLES {
            let made = hall.table(table).await;
            hall.watched.push(made);
        }
        hall.new_tokens().await;
        hall.follow().await;
        hall
    }

    async fn table(&mut self, table: usize) -> Watched {
        self.names += 1;
        let secret = format!("zq{}qz", self.names);
        let mut client = match table {
            FAR => self.replica.other_platform(),
            _ => self.replica.platform(),
        };
        let (request_id, display_name) = (self.world.id(), format!("Table {secret}"));
        let create = v1::CreateTableRequest {
            request_id,
            display_name,
            chosen_seed: (table != FAR).then_some(2),
            first_dealer: 4,
            rules: (table == LIFTS).then(entered_lifts),
            ..v1::CreateTableRequest::default()
        };
        let made = client.create_table(create).await.unwrap().into_inner().table.unwrap();
        let id = made.table_id;
        for seat in 1..=4 {
            let occupancy = occupant(table, seat, &secret);
            if occupancy.is_some() {
                let request = v1::SetSeatRequest {
                    table_id: id.clone(),
                    seat,
                    occupancy,
                    ..Default::default()
                };
                client.set_seat(request).await.unwrap();
            }
        }
        if !matches!(table, LOBBY | DOOMED | OFFERS) {
            let table_id = id.clone();
            client.start_table(v1::StartTableRequest { table_id }).await.unwrap();
        }
        if table == CLOSED {
            let table_id = id.clone();
            client.cancel_table(v1::CancelTableRequest { table_id }).await.unwrap();
        }
        let mark = self.mark(&id).await;
        Watched { id, secret, mark }
    }

    pub(super) async fn mark(&self, id: &str) -> Mark {
        let id: TableId = id.parse().unwrap();
        self.world.store.load(&id).await.unwrap().unwrap().mark
    }

    /// Tokens of all seats of the target; an older one of seat 1 is not good any more.
    async fn new_tokens(&mut self) {
        let target = self.watched[TARGET].id.clone();
        self.old = self.replica.token(&target, 1).await;
        let revoke = v1::IssueSeatTokenRequest {
            table_id: target.clone(),
            seat: 1,
            older_tokens: v1::OlderTokens::Revoke as i32,
            ..v1::IssueSeatTokenRequest::default()
        };
        self.replica.platform().issue_seat_token(revoke).await.unwrap();
        self.players.clear();
        for seat in 0..=4 {
            self.players.push(self.replica.token(&target, seat).await);
        }
        self.watched[TARGET].mark = self.mark(&target).await;
    }

    /// Learns what may be done at the target; if nothing can, there is another one.
    pub(super) async fn follow(&mut self) {
        loop {
            let view = self.replica.player(&self.players[0]).view().await;
            self.to_act = usize::try_from(view.to_act).unwrap();
            if self.to_act > 0 {
                self.legal = self.replica.player(&self.players[self.to_act]).legal().await;
                return;
            }
            self.watched[TARGET] = self.table(TARGET).await;
            self.new_tokens().await;
        }
    }

    /// Plays at the target until the seat on turn has something to take back.
    pub(super) async fn lay(&mut self) {
        while self.legal.menu.as_ref().is_none_or(|menu| menu.undoable == 0) {
            let action = chosen(&self.legal, 0);
            let request = submission(&self.world, self.legal.version, vec![action]);
            let mut player = self.replica.player(&self.players[self.to_act]);
            player.submit(&request).await.unwrap();
            self.follow().await;
        }
        self.watched[TARGET].mark = self.mark(&self.watched[TARGET].id).await;
    }

    /// Puts back what good requests have used up.
    pub(super) async fn settle(&mut self) {
        for seat in 1..=4 {
            let offers = self.watched[OFFERS].id.clone();
            self.replica.set_seat(&offers, seat, open(&["casual"])).await.unwrap();
        }
        for table in [LOBBY, DOOMED, LIFTS] {
            self.watched[table] = self.table(table).await;
        }
        self.watched[OFFERS].mark = self.mark(&self.watched[OFFERS].id).await;
    }

    /// The credential that a service takes.
    pub(super) fn good(&self, service: &str, chance: &mut Chance) -> Credential {
        let ours = || (0..N_TABLES).filter(|table| *table != FAR).collect();
        let (token, sees) = match service {
            "PlayService" => {
                let seat = if chance.one_in(4) { 1 + chance.below(4) } else { self.to_act };
                (self.players[seat].as_str(), vec![TARGET])
            }
            "TableService" => (ACME, ours()),
            "BotDispatchService" => (BOTS, vec![BOT_TABLE, OFFERS]),
            _ => return Credential::default(),
        };
        Credential { header: bearer(token), sees, changes: true, twin: None }
    }

    /// A credential that a service does not take, or not for this.
    pub(super) fn wrong(&self, service: &str, chance: &mut Chance) -> Credential {
        let target = self.watched[TARGET].id.as_str();
        let of = |token: &str, sees: &[usize]| Credential {
            header: bearer(token),
            sees: sees.to_vec(),
            ..Credential::default()
        };
        let foreign = match service {
            "TableService" => vec![
                Credential { twin: bearer(OTHER), changes: true, ..of(OTHER, &[FAR]) },
                of(READER, &[TARGET, NEAR, LOBBY, DOOMED, BOT_TABLE, OFFERS, CLOSED, LIFTS]),
            ],
            "BotDispatchService" => {
                vec![Credential { twin: bearer(OTHER_BOTS), ..of(OTHER_BOTS, &[FAR]) }]
            }
            _ => {
                let raw = &self.raw;
                let absent = bearer(&raw.token("other", ABSENT, 1, 3_600));
                let near = &self.watched[NEAR].id;
                vec![
                    Credential { twin: absent, ..of(&raw.token("other", target, 1, 3_600), &[]) },
                    of(&raw.token("acme", ABSENT, 2, 3_600), &[]),
                    of(&raw.token("acme", near, 4, 3_600), &[NEAR]),
                    of(&raw.token("acme", target, 9, 3_600), &[]),
                    of(&raw.token("acme", target, 2, 0), &[]),
                    // What is seen with it is for the table to say, not what is played.
                    of(&raw.lost_lease(&self.watched[BOT_TABLE].id), &[BOT_TABLE]),
                    of(&raw.watching(near), &[NEAR]),
                    of(&self.old, &[]),
                    of(&self.players[0], &[TARGET]),
                ]
            }
        };
        if !chance.one_in(3) {
            return chance.of(&foreign).clone();
        }
        Credential { header: self.garbage(service, chance), ..Credential::default() }
    }

    fn garbage(&self, service: &str, chance: &mut Chance) -> Option<String> {
        let token = &self.players[1];
        let (head, tail) = token.split_at(token.len() - 9);
        let garbage = [
            None,
            Some(String::new()),
            Some(token.clone()),
            bearer(""),
            bearer("a.b.c"),
            bearer(&format!("{head}A{}", &tail[1..])),
            bearer(head),
            bearer(&"x".repeat(6_000)),
            bearer("hfp_acme.wrong"),
            bearer("hfp_nobody.secret"),
            bearer("hfb_bots.wrong"),
            bearer(if service == "PlayService" { ACME } else { token }),
            bearer(if service == "TableService" { BOTS } else { READER }),
        ];
        chance.of(&garbage).clone()
    }

    /// A request that would do, or would do at another time.
    pub(super) fn base(&self, rpc: &Rpc, chance: &mut Chance) -> Vec<u8> {
        let table_id = self.named(&rpc.method, chance);
        let page_size = u32::try_from(chance.below(201)).unwrap();
        let page_token = String::new();
        match rpc.method.as_str() {
            "CreateTable" => self.create(chance),
            "GetTable" => v1::GetTableRequest { table_id }.encode_to_vec(),
            "ListTables" => {
                v1::ListTablesRequest { page_size, page_token, states: vec![1, 2] }.encode_to_vec()
            }
            "SetSeat" => self.set_seat(table_id, chance),
            "GetTableScoreSheet" => v1::GetTableScoreSheetRequest { table_id }.encode_to_vec(),
            "StartTable" => v1::StartTableRequest { table_id }.encode_to_vec(),
            "CancelTable" => v1::CancelTableRequest { table_id }.encode_to_vec(),
            "EnterLift" => self.enter_lift(table_id, chance),
            "IssueSeatToken" => {
                let (seat, lifetime_s) = (small(chance, 6), *chance.of(&[0, 59, 60]));
                let older_tokens = i32::try_from(chance.below(3)).unwrap();
                v1::IssueSeatTokenRequest { table_id, seat, lifetime_s, older_tokens }
                    .encode_to_vec()
            }
            "GetPreset" => v1::GetPresetRequest { preset_id: "whitnack".into() }.encode_to_vec(),
            "CheckRules" => {
                let rules = Some(choice(chance));
                v1::CheckRulesRequest { rules }.encode_to_vec()
            }
            "ExplainRules" => {
                let rules = Some(choice(chance));
                let section_id = (*chance.of(&["", "opening", "chess"])).to_owned();
                v1::ExplainRulesRequest { rules, section_id }.encode_to_vec()
            }
            "AcquireSeat" | "AcquireTurn" => acquire(&rpc.method, chance),
            "ReleaseTurn" => {
                let lease_id = format!("{table_id}.{}.7.5000", small(chance, 6));
                v1::ReleaseTurnRequest { lease_id, cause: 1 }.encode_to_vec()
            }
            "SubmitActions" => self.submit(chance),
            "RequestUndo" => {
                let (request_id, acts) = (self.world.id(), small(chance, 3));
                let expected_version = self.expected(chance);
                v1::RequestUndoRequest { request_id, expected_version, acts }.encode_to_vec()
            }
            "WatchTable" => {
                let after_version = chance.one_in(2).then(|| self.expected(chance));
                let after_chain = vec![7; *chance.of(&[0, 15, 16])];
                v1::WatchTableRequest { after_version, after_chain, rules: 2 }.encode_to_vec()
            }
            "ListCommits" => {
                let after_version = self.expected(chance);
                v1::ListCommitsRequest { after_version, page_size, page_token }.encode_to_vec()
            }
            _ => Vec::new(),
        }
    }

    fn named(&self, method: &str, chance: &mut Chance) -> String {
        let pool: &[usize] = match method {
            "SetSeat" => &[LOBBY, LOBBY, LOBBY, LOBBY, TARGET, CLOSED, FAR],
            "StartTable" => &[LOBBY, CLOSED, NEAR, FAR],
            "CancelTable" => &[DOOMED, FAR],
            "EnterLift" => &[LIFTS, LIFTS, LIFTS, LIFTS, TARGET, LOBBY, CLOSED, FAR],
            "IssueSeatToken" => &[NEAR, LOBBY, OFFERS, BOT_TABLE, FAR],
            "ReleaseTurn" => &[BOT_TABLE, NEAR, FAR],
            _ => &[TARGET, NEAR, LOBBY, FAR],
        };
        match chance.one_in(6) {
            true => ABSENT.to_owned(),
            false => self.watched[*chance.of(pool)].id.clone(),
        }
    }

    /// A version: the right one half of the time.
    fn expected(&self, chance: &mut Chance) -> u64 {
        let version = self.legal.version;
        let other = [0, 1, version.saturating_sub(1), version + 1, u64::MAX];
        if chance.one_in(2) { version } else { *chance.of(&other) }
    }

    fn submit(&self, chance: &mut Chance) -> Vec<u8> {
        let action = match self.legal.actions.is_empty() || chance.one_in(4) {
            true => draw(),
            false => chance.of(&self.legal.actions).clone(),
        };
        let actions = vec![action; *chance.of(&[1, 1, 1, 1, 2, 33])];
        let mut request = submission(&self.world, self.expected(chance), actions);
        request.validate_only = chance.one_in(4);
        if chance.one_in(5) {
            request.request_id = "00000000-0000-4000-8000-00000000000a".to_owned();
        }
        request.encode_to_vec()
    }

    fn enter_lift(&self, table_id: String, chance: &mut Chance) -> Vec<u8> {
        let known = format!("00000000-0000-4000-9000-00000000000{}", chance.below(2));
        let request_id = if chance.one_in(2) { known } else { self.world.id() };
        let version = self.watched[LIFTS].mark.version.0;
        let expected_version = *chance.of(&[version, version, version, 0, 4, version + 1]);
        let (seat, cards) = (small(chance, 6), *chance.of(&[0, 1, 26, 26, 26, 1_000, 1_001]));
        v1::EnterLiftRequest { request_id, expected_version, table_id, seat, cards }.encode_to_vec()
    }

    fn create(&self, chance: &mut Chance) -> Vec<u8> {
        let known = format!("00000000-0000-4000-9000-00000000000{}", chance.below(10));
        let request = v1::CreateTableRequest {
            request_id: if chance.one_in(9) { self.world.id() } else { known },
            rules: chance.one_in(2).then(|| choice(chance)),
            first_dealer: small(chance, 6),
            chosen_seed: chance.one_in(8).then_some(1),
            ..v1::CreateTableRequest::default()
        };
        request.encode_to_vec()
    }

    fn set_seat(&self, table_id: String, chance: &mut Chance) -> Vec<u8> {
        let seat = small(chance, 6);
        let secret = &self.watched[LOBBY].secret;
        let occupancy = match chance.below(5) {
            0 => Some(bot("casual")),
            1 => Some(open(&["casual", "random"])),
            2 | 3 => occupant(LOBBY, 1, secret),
            _ => occupant(LOBBY, seat, secret),
        };
        let request_id = if chance.one_in(2) { self.world.id() } else { String::new() };
        v1::SetSeatRequest { table_id, seat, occupancy, request_id }.encode_to_vec()
    }
}

fn small(chance: &mut Chance, end: usize) -> u32 {
    u32::try_from(chance.below(end)).unwrap()
}

fn entered_lifts() -> v1::RulesChoice {
    let model = v1::ExactPickModel::Entered as i32;
    let exact_pick = Some(v1::ExactPick { bonus: 100, model, chance: None });
    let changes = Some(v1::RulesDraft { exact_pick, ..v1::RulesDraft::default() });
    v1::RulesChoice { preset_id: "whitnack".to_owned(), changes, ..v1::RulesChoice::default() }
}

fn choice(chance: &mut Chance) -> v1::RulesChoice {
    let preset_id = (*chance.of(&["whitnack", "simpson", "", "none-such"])).to_owned();
    let (players, team_size) = (small(chance, 8), small(chance, 4));
    let override_ids = match chance.below(3) {
        0 => vec![(*chance.of(&["lifting", "none-such", ""])).to_owned()],
        _ => Vec::new(),
    };
    v1::RulesChoice { preset_id, players, team_size, changes: None, override_ids }
}

fn acquire(method: &str, chance: &mut Chance) -> Vec<u8> {
    let (worker, levels) = ("worker".to_owned(), vec!["casual".to_owned()]);
    let wait_ms = if chance.one_in(50) { 600 } else { 0 };
    if method == "AcquireSeat" {
        return v1::AcquireSeatRequest { worker, levels, wait_ms }.encode_to_vec();
    }
    let (max_tasks, lease_ms) = (small(chance, 18), *chance.of(&[0, 999, 1_000]));
    v1::AcquireTurnRequest { worker, levels, max_tasks, wait_ms, lease_ms }.encode_to_vec()
}
