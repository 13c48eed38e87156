//! The services of the API: who asks, what is asked, the table service, the answer.
//!
//! **Invariant:** handlers decide nothing. Tenant, table and seat come from a verified pass.

mod decode;
mod dispatch;
mod info;
mod play;
mod rules;
mod stream;
mod tables;

use std::sync::Arc;

use handfoot_protocol::v1::bot_dispatch_service_server::BotDispatchServiceServer;
use handfoot_protocol::v1::play_service_server::PlayServiceServer;
use handfoot_protocol::v1::rules_service_server::RulesServiceServer;
use handfoot_protocol::v1::server_service_server::ServerServiceServer;
use handfoot_protocol::v1::table_service_server::TableServiceServer;
use tonic::service::{Routes, RoutesBuilder};

use crate::auth::Keys;
use crate::limits::{REQUEST_BYTES_MAX, RESPONSE_BYTES_MAX};
use crate::server::Parts;
use crate::table::MachineSecrets;
use crate::tables::Tables;

/// All routes of a service: those given and the API over its store.
#[must_use]
pub fn api(mut routes: RoutesBuilder, parts: &Parts) -> Routes {
    let (store, drain) = (Arc::clone(&parts.store), parts.drain.clone());
    let metrics = parts.metrics.clone();
    let tables = Tables::counted(store, Arc::new(MachineSecrets), drain, metrics);
    if parts.metrics.is_on() {
        tokio::spawn(tables.clone().take_census());
    }
    add_services(&mut routes, &tables, &parts.keys);
    routes.routes()
}

/// Adds the services of the API to routes.
pub fn add_services(routes: &mut RoutesBuilder, tables: &Tables, keys: &Arc<Keys>) {
    let (tables, keys) = (tables.clone(), Arc::clone(keys));
    let play = play::Play { tables: tables.clone(), keys: Arc::clone(&keys) };
    let platform = tables::Platform { tables: tables.clone(), keys: Arc::clone(&keys) };
    let dispatch = dispatch::Dispatch { tables, keys };
    macro_rules! add {
        ($server:ident, $service:expr) => {
            routes.add_service(
                $server::new($service)
                    .max_decoding_message_size(REQUEST_BYTES_MAX)
                    .max_encoding_message_size(RESPONSE_BYTES_MAX),
            )
        };
    }
    add!(PlayServiceServer, play);
    add!(TableServiceServer, platform);
    add!(BotDispatchServiceServer, dispatch);
    add!(RulesServiceServer, rules::RuleSets);
    add!(ServerServiceServer, info::Info);
}
