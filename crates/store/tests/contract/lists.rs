//! Lists of tables.
//!
//! **Invariant:** a page goes on where the one before ended, whatever happened meanwhile.

use handfoot_store::{
    ListCursor, ListFilter, ListPage, ListedState, ListingChange, Millis, Tenants, Version,
};

use crate::kit::{Fixture, START, commit, id, new_table, text};

fn all() -> ListFilter {
    ListFilter { tenants: Tenants::All, state: None }
}

async fn add(f: &Fixture, name: &str, tenant: &str, state: u8, created: u64) {
    f.at(created);
    let mut new = new_table(name);
    new.tenant = tenant.parse().expect("a good name");
    new.state = ListedState(state);
    f.store.create(new).await.expect("it is created");
}

async fn page(f: &Fixture, filter: &ListFilter, after: Option<ListCursor>, n: usize) -> ListPage {
    f.store.list(filter.clone(), after, n).await.expect("it lists")
}

/// All names, page by page.
async fn names(f: &Fixture, filter: &ListFilter, n: usize) -> Vec<String> {
    let mut names = Vec::new();
    let mut after = None;
    loop {
        let page = page(f, filter, after, n).await;
        names.extend(page.tables.iter().map(|table| table.id.to_string()));
        match page.next {
            Some(next) => after = Some(next),
            None => return names,
        }
    }
}

pub(super) async fn lists_are_newest_first_and_by_tenant_and_state(mut f: Fixture) {
    let rows = [("a", "acme", 0, 1), ("b", "acme", 1, 2), ("c", "best", 0, 3), ("d", "acme", 0, 3)];
    for (name, tenant, state, created) in rows {
        add(&f, name, tenant, state, created).await;
    }
    if f.survives_a_restart() {
        f.reopen().await;
    }
    let of = |tenant: &str, state: Option<u8>| ListFilter {
        tenants: Tenants::One(tenant.parse().expect("a good name")),
        state: state.map(ListedState),
    };
    for n in 1..=5 {
        assert_eq!(names(&f, &all(), n).await, ["c", "d", "b", "a"]);
        assert_eq!(names(&f, &of("acme", None), n).await, ["d", "b", "a"]);
        assert_eq!(names(&f, &of("acme", Some(0)), n).await, ["d", "a"]);
        assert_eq!(names(&f, &of("best", None), n).await, ["c"]);
        assert!(names(&f, &of("nobody", None), n).await.is_empty());
        assert!(names(&f, &of("best", Some(9)), n).await.is_empty());
    }
}

pub(super) async fn pages_are_stable_while_tables_come_and_go(f: Fixture) {
    for number in 0..10 {
        add(&f, &format!("t{number}"), "acme", 0, number).await;
    }
    let first = page(&f, &all(), None, 4).await;
    let shown: Vec<&str> = first.tables.iter().map(|table| table.id.as_str()).collect();
    assert_eq!(shown, ["t9", "t8", "t7", "t6"]);
    // The last one shown and one to come are deleted, a newer one comes, one changes.
    f.store.delete(&id("t6")).await.expect("it is deleted");
    f.store.delete(&id("t3")).await.expect("it is deleted");
    add(&f, "new", "acme", 0, 99).await;
    f.play(&id("t5"), 2).await;
    let second = page(&f, &all(), first.next, 4).await;
    let shown: Vec<&str> = second.tables.iter().map(|table| table.id.as_str()).collect();
    assert_eq!(shown, ["t5", "t4", "t2", "t1"]);
    let third = page(&f, &all(), second.next, 4).await;
    assert_eq!(third.tables[0].id, id("t0"));
    assert_eq!((third.tables.len(), third.next), (1, None));
}

pub(super) async fn a_list_shows_what_the_last_commit_said(mut f: Fixture) {
    add(&f, "a", "acme", 0, 0).await;
    f.at(5);
    let mut saying = commit(&id("a"), f.mark(&id("a")).await);
    saying.listing = ListingChange::Set { state: ListedState(3), summary: text("over") };
    f.stand(saying).await;
    f.at(6);
    f.play(&id("a"), 1).await;
    if f.survives_a_restart() {
        f.reopen().await;
    }
    let listed = page(&f, &all(), None, 9).await.tables.remove(0);
    assert_eq!((listed.state, listed.summary), (ListedState(3), text("over")));
    assert_eq!((listed.version, listed.created_at), (Version(2), START));
    assert_eq!((listed.at, listed.tenant.as_str()), (Millis(START.0 + 6), "acme"));
}
