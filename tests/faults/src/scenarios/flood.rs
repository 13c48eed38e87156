//! One token calls as fast as it can, good calls and bad ones, while others play.
//!
//! **Invariant:** every one of its calls is answered, and every table moves on meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use handfoot_protocol::v1;
use tokio::task::JoinSet;
use tonic::Code;
use tonic::transport::Channel;

use crate::crowd::open::{TableOrder, open_one};
use crate::house::Order;
use crate::raw;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::Expect;

/// Calls under way at the same time.
const CALLERS: usize = 48;

/// What the calls of one token have come to.
#[derive(Default)]
struct Counts {
    answered: AtomicU64,
    /// Neither an answer nor a refusal with a reason.
    odd: AtomicU64,
}

/// Fault list: R54.
pub(crate) async fn a_flood_from_one_token_keeps_nobody_from_playing(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::FAST).await?;
    scene.under_way().await?;
    let aside = TableOrder { rounds: 1, pace: Duration::ZERO };
    let opened = open_one(scene.house.platform()?, aside, &[1, 2, 3, 4], 1).await?;
    let (counts, is_over) = (Arc::new(Counts::default()), Arc::new(AtomicBool::new(false)));
    let struck = scene.strike();
    let mut flood = JoinSet::new();
    for number in 0..CALLERS {
        let replica = &scene.house.replicas[number % scene.house.replicas.len()];
        let channel = raw::connect(&replica.address, None).await?;
        let request = v1::IssueSeatTokenRequest {
            table_id: opened.id.clone(),
            seat: 1,
            ..Default::default()
        };
        let token = raw::token(&channel, &scene.house.credentials.platform, request).await?;
        flood.spawn(call(channel, token, number, Arc::clone(&counts), Arc::clone(&is_over)));
    }
    let moved_on = scene.crowd.moved_on(struck).await;
    is_over.store(true, Ordering::Relaxed);
    while flood.join_next().await.is_some() {}
    moved_on?;
    scene.count("calls of the flood", counts.answered.load(Ordering::Relaxed));
    let odd = counts.odd.load(Ordering::Relaxed);
    scene.must("a call of the flood was neither answered nor refused with a reason", odd == 0);
    scene.end(&Expect::default()).await
}

async fn call(
    channel: Channel,
    token: String,
    number: usize,
    counts: Arc<Counts>,
    is_over: Arc<AtomicBool>,
) {
    let mut client = raw::player(&channel);
    for n in number.. {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let failed = match n % 3 {
            0 => client.get_view(raw::with(&token, v1::GetViewRequest::default())).await.err(),
            1 => {
                let list = raw::with(&token, v1::ListLegalActionsRequest::default());
                client.list_legal_actions(list).await.err()
            }
            _ => {
                let request_id = uuid::Uuid::new_v4().to_string();
                let submit = v1::SubmitActionsRequest { request_id, ..Default::default() };
                client.submit_actions(raw::with(&token, submit)).await.err()
            }
        };
        let is_odd = failed.is_some_and(|status| {
            raw::reason(&status).is_empty() && status.code() != Code::DeadlineExceeded
        });
        counts.answered.fetch_add(1, Ordering::Relaxed);
        counts.odd.fetch_add(u64::from(is_odd), Ordering::Relaxed);
    }
}
