//! Messages that are larger than any may be, at every replica, while games are played.
//!
//! **Invariant:** what is sent is well formed but for its size.

use handfoot_protocol::v1;
use tonic::Code;

use crate::crowd::open::{TableOrder, open_one};
use crate::house::Order;
use crate::raw;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::{Calls, Expect};

/// Bytes of what is sent: a little over what is allowed, and a lot.
const SIZES: [usize; 2] = [65 * 1_024, 32 * 1_024 * 1_024];

/// Fault list: R54.
pub(crate) async fn messages_that_are_too_large_are_refused_alone(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::FAST).await?;
    scene.under_way().await?;
    let aside = TableOrder { rounds: 1, pace: std::time::Duration::ZERO };
    let opened = open_one(scene.house.platform()?, aside, &[1, 2, 3, 4], 1).await?;
    scene.strike();
    let mut n_refused = 0;
    for replica in 0..scene.house.replicas.len() {
        let channel = raw::connect(&scene.house.replicas[replica].address, None).await?;
        let request = v1::IssueSeatTokenRequest {
            table_id: opened.id.clone(),
            seat: 1,
            ..Default::default()
        };
        let token = raw::token(&channel, &scene.house.credentials.platform, request).await?;
        for size in SIZES {
            let message = v1::SubmitActionsRequest {
                request_id: "x".repeat(size),
                expected_version: 1,
                ..Default::default()
            };
            let sent = raw::player(&channel).submit_actions(raw::with(&token, message)).await;
            let (code, reason) = match &sent {
                Ok(_) => (Code::Ok, String::new()),
                Err(status) => (status.code(), raw::reason(status)),
            };
            let is_refused = code == Code::InvalidArgument && reason == "FIELD_INVALID";
            n_refused += u64::from(is_refused);
            scene.must(&format!("{size} bytes were answered with {code:?} {reason}"), is_refused);
            // Whoever sent it is served as before.
            let view = raw::with(&token, v1::GetViewRequest::default());
            let viewed = raw::player(&channel).get_view(view).await;
            scene.must("after a refusal nothing is answered", viewed.is_ok());
        }
    }
    scene.count("messages refused", n_refused);
    scene.end(&Expect { calls: Calls::NeverFail, ..Expect::default() }).await
}
