//! Ordinary tasks, as people give them: what is asked although nothing speaks against it, and what is
//! refused. Nobody answers here, so whatever would be asked comes back as denied.

use super::{results, run};
use hearth_engine::{Engine, Quiet, api};
use hearth_llm::scripted::Reply;
use hearth_protocol::SessionKey;
use hearth_protocol::api::chat::Submit;
use hearth_protocol::api::guard::Explain;
use hearth_tests::{FORMATS, TestHome, message, open};
use serde_json::{Value, json};
use std::sync::Arc;

/// What the person says, and the calls of a model that does it well.
type Task = (&'static str, Vec<(&'static str, Value)>);

fn read(path: &str) -> (&'static str, Value) {
    ("read_file", json!({ "path": path }))
}

fn write(path: &str) -> (&'static str, Value) {
    ("write_file", json!({ "path": path, "content": "# Title\n\nSome text.\n" }))
}

fn edit(path: &str) -> (&'static str, Value) {
    ("edit_file", json!({ "path": path, "old": "milk", "new": "bread" }))
}

fn list(path: &str) -> (&'static str, Value) {
    ("list_files", json!({ "path": path }))
}

fn find(pattern: &str) -> (&'static str, Value) {
    ("search_files", json!({ "pattern": pattern }))
}

fn exec(command: &str) -> (&'static str, Value) {
    ("exec", json!({ "command": command }))
}

fn fetch(url: &str) -> (&'static str, Value) {
    ("web_fetch", json!({ "url": url }))
}

fn search(query: &str) -> (&'static str, Value) {
    ("web_search", json!({ "query": query }))
}

fn remember(text: &str) -> (&'static str, Value) {
    ("memory_append", json!({ "text": text }))
}

fn recall(query: &str) -> (&'static str, Value) {
    ("memory_search", json!({ "query": query }))
}

fn plan(schedule: &str) -> (&'static str, Value) {
    ("cron", json!({ "action": "add", "schedule": schedule, "prompt": "Remind me." }))
}

fn notify(body: &str) -> (&'static str, Value) {
    ("notify", json!({ "title": "Done", "body": body }))
}

fn spawn(task: &str) -> (&'static str, Value) {
    ("spawn_agent", json!({ "task": task }))
}

#[rustfmt::skip]
fn tasks() -> Vec<Task> {
    vec![
        ("What is on my list?", vec![read("lists/shopping.md")]),
        ("Put bread on the list instead of milk", vec![read("lists/shopping.md"), edit("lists/shopping.md")]),
        ("Start a packing list", vec![write("lists/packing.md")]),
        ("Which notes do I have?", vec![list(".")]),
        ("What lies in lists?", vec![list("lists")]),
        ("Where did I write about milk?", vec![find("milk")]),
        ("Find my notes on Berlin and read them", vec![find("Berlin"), read("notes/berlin.md")]),
        ("Sum up all my notes in one file", vec![list("notes"), read("notes/berlin.md"), write("notes/summary.md")]),
        ("Draft a letter", vec![write("letters/landlord.md")]),
        ("Correct my draft", vec![read("letters/draft.md"), edit("letters/draft.md")]),
        ("Make a table of my expenses", vec![read("notes/expenses.md"), write("notes/table.md")]),
        ("Rename the project in its note", vec![read("notes/project.md"), edit("notes/project.md")]),
        ("Keep a diary entry", vec![write("diary/2026-11-30.md")]),
        ("把购物清单读给我听", vec![read("lists/shopping.md")]),
        ("写一份会议记录", vec![write("notes/会议.md")]),
        ("在笔记里找柏林", vec![find("柏林")]),
        ("Who are you?", vec![read("IDENTITY.md")]),
        ("Call yourself Ada from now on", vec![("write_file", json!({"path": "IDENTITY.md", "content": "# Identity\n\nName: Ada\n"}))]),
        ("Be briefer in future; note it in your rules", vec![read("SOUL.md"), ("edit_file", json!({"path": "SOUL.md", "old": "no such text", "new": "Be brief."}))]),
        ("I live in Berlin, put it into what you know of me", vec![read("USER.md"), ("edit_file", json!({"path": "USER.md", "old": "no such text", "new": "Berlin"}))]),
        ("Check every morning whether rent is due", vec![("write_file", json!({"path": "HEARTBEAT.md", "content": "- Is the rent due?\n"}))]),
        ("Teach yourself how I like reports", vec![("write_file", json!({"path": "skills/report/SKILL.md", "content": "---\nname: report\ndescription: reports\n---\nShort.\n"}))]),
        ("Remember that I take my tea green", vec![remember("Takes tea green.")]),
        ("Remember my sister's birthday", vec![remember("Sister: 3 May.")]),
        ("记住我住在柏林", vec![remember("住在柏林")]),
        ("What did we decide on the flat?", vec![recall("flat decision")]),
        ("What do you know of my sister? And she moved to Rome.", vec![recall("sister"), remember("Sister lives in Rome.")]),
        ("Forget my old address", vec![recall("address"), ("memory_forget", json!({"id": "m7"}))]),
        ("That changed: the meeting is on Friday", vec![recall("meeting"), ("memory_supersede", json!({"id": "m3", "text": "Friday"}))]),
        ("What did I say yesterday?", vec![("memory_get", json!({"path": "memory/2026-11-29.md"}))]),
        ("Remind me at nine", vec![plan("at 2026-12-01 09:00")]),
        ("Remind me in two hours", vec![plan("in 2h")]),
        ("Remind me of the pills every day", vec![plan("0 9 * * *")]),
        ("每周一提醒我", vec![plan("0 9 * * 1")]),
        ("What is planned?", vec![("cron", json!({"action": "list"}))]),
        ("Take the reminder out again", vec![("cron", json!({"action": "list"})), ("cron", json!({"action": "remove", "id": "j1"}))]),
        ("Tell me when you are done", vec![write("notes/done.md"), notify("The note is written.")]),
        ("Ping me", vec![notify("Ping.")]),
        ("List the folder with the shell", vec![exec("ls -la")]),
        ("What branch am I on?", vec![exec("git status --short"), exec("git branch")]),
        ("Show the last commits", vec![exec("git log --oneline -5")]),
        ("What did I change?", vec![exec("git diff")]),
        ("Commit it", vec![exec("git add -A"), exec("git commit -m \"fix: a && b; c\"")]),
        ("Who wrote this line?", vec![exec("git blame notes/berlin.md")]),
        ("How many lines has it?", vec![exec("wc -l notes/berlin.md")]),
        ("Show its head", vec![exec("head -n 20 notes/berlin.md")]),
        ("Grep for milk", vec![exec("grep -rn milk lists")]),
        ("What day is it?", vec![exec("date +%F")]),
        ("Where am I?", vec![exec("pwd")]),
        ("Count my notes", vec![exec("ls notes | wc -l")]),
        ("Print it", vec![exec("cat 'lists/shopping.md'")]),
        ("Echo something", vec![exec("echo \"a && b\"")]),
        ("What machine is this?", vec![exec("uname -a")]),
        ("Who am I here?", vec![exec("whoami")]),
        ("How is the weather in Berlin?", vec![search("weather Berlin today")]),
        ("Look up when the museum opens", vec![search("Pergamon museum opening hours")]),
        ("Search for two recipes", vec![search("lentil soup recipe"), search("rye bread recipe")]),
        ("柏林天气怎么样", vec![search("柏林 天气")]),
        ("Read https://example.org/a for me", vec![fetch("https://example.org/a")]),
        ("Sum up example.com/news", vec![fetch("https://example.com/news")]),
        ("Compare https://example.org/a and https://example.com/b?x=1", vec![fetch("https://example.org/a"), fetch("https://example.com/b?x=1")]),
        ("看看 https://example.org/文 说了什么", vec![fetch("https://example.org/文")]),
        ("Read https://example.org/a and put the gist into a note", vec![fetch("https://example.org/a"), write("notes/gist.md")]),
        ("Read https://example.org/a, then search for the author", vec![fetch("https://example.org/a"), search("Jane Example author")]),
        ("Look at my notes, then search what is missing", vec![read("notes/berlin.md"), search("Berlin sights")]),
        ("Read my notes and check example.org/prices against them", vec![read("notes/berlin.md"), fetch("https://example.org/prices")]),
        ("What does the documentation of tokio say?", vec![fetch("https://docs.rs/tokio")]),
        ("Have somebody go through my notes", vec![spawn("Read notes/berlin.md and say what is missing.")]),
        ("Split this up", vec![spawn("Count the items of lists/shopping.md.")]),
        ("Read the list and sort it", vec![read("lists/shopping.md"), write("lists/shopping-sorted.md")]),
        ("Go through the letters", vec![list("letters"), read("letters/draft.md")]),
        ("Clean up the draft", vec![read("letters/draft.md"), ("edit_file", json!({"path": "letters/draft.md", "old": "milk", "new": "bread"}))]),
        ("Make a file for each month", vec![write("plan/01.md"), write("plan/02.md"), write("plan/03.md")]),
        ("Write a small script", vec![write("tools/count.py")]),
        ("Set up a page", vec![write("site/index.html"), write("site/style.css")]),
        ("Start a Makefile", vec![write("project/Makefile")]),
        ("Translate the draft", vec![read("letters/draft.md"), write("letters/entwurf.md")]),
        ("Is milk on any list?", vec![find("milk"), list("lists")]),
        ("Check the budget note", vec![read("notes/expenses.md"), exec("grep -n total notes/expenses.md")]),
        ("Note what git says", vec![exec("git log --oneline -5"), write("notes/log.md")]),
        ("Tell me what the list says and ping me", vec![read("lists/shopping.md"), notify("The list has 3 items.")]),
        ("Read the note and remember the date in it", vec![read("notes/berlin.md"), remember("Berlin on 3 May.")]),
        ("Collect quotes", vec![find("quote"), write("notes/quotes.md")]),
        ("Two files at once", vec![read("notes/berlin.md"), read("notes/expenses.md")]),
        ("Put the list into the plan", vec![read("lists/shopping.md"), write("plan/week.md")]),
        ("Show me the folder, then the list", vec![list("."), read("lists/shopping.md")]),
        ("Make the note shorter", vec![read("notes/berlin.md"), write("notes/berlin-short.md")]),
        ("Record the decision", vec![write("notes/decision.md"), remember("Decided for the small flat.")]),
    ]
}

/// More of them, such as people give over a week.
#[rustfmt::skip]
fn week() -> Vec<Task> {
    let remind = |schedule: &str, prompt: &str| ("cron", json!({"action": "add", "schedule": schedule, "do": "remind", "prompt": prompt}));
    let supersede = |text: &str| ("memory_supersede", json!({"id": "m3", "text": text}));
    let part = |path: &str, old: &str, new: &str| ("edit_file", json!({"path": path, "old": old, "new": new}));
    vec![
        ("How many things are on my shopping list?", vec![read("lists/shopping.md")]),
        ("Add coffee to the shopping list", vec![read("lists/shopping.md"), part("lists/shopping.md", "- tea", "- tea\n- coffee")]),
        ("把咖啡加到购物清单里", vec![read("lists/shopping.md"), part("lists/shopping.md", "- quote", "- quote\n- 咖啡")]),
        ("Which of my notes is the newest?", vec![exec("ls -lt notes")]),
        ("How big is my notes folder?", vec![exec("du -sh notes")]),
        ("How much disk space is left?", vec![exec("df -h .")]),
        ("Which notes did I change this week?", vec![exec("find . -name '*.md' -mtime -7")]),
        ("这封信有多少字", vec![exec("wc -m letters/draft.md")]),
        ("Show me the end of my expenses", vec![exec("tail -n 10 notes/expenses.md")]),
        ("Sort my expenses by amount", vec![exec("sort -k2 -n notes/expenses.md")]),
        ("What differs between the two notes?", vec![exec("diff notes/berlin.md notes/project.md")]),
        ("Only the first column, please", vec![exec("cut -d ' ' -f1 notes/expenses.md")]),
        ("Go into notes and tell me what is there", vec![exec("cd notes && ls -1")]),
        ("What date is next Friday?", vec![exec("date -d 'next friday' +%F")]),
        ("Is this really a text file?", vec![exec("file notes/berlin.md"), exec("stat notes/berlin.md")]),
        ("Give me its checksum", vec![exec("sha256sum notes/berlin.md")]),
        ("Draw the folders as a tree", vec![exec("tree -L 2")]),
        ("How long has this machine been on?", vec![exec("uptime")]),
        ("Show the settings as JSON, readable", vec![exec("jq . data/config.json")]),
        ("What came with the last commit?", vec![exec("git show --stat HEAD")]),
        ("When did I last change the draft?", vec![exec("git log -3 -- letters/draft.md")]),
        ("我现在在哪个分支上", vec![exec("git branch --show-current")]),
        ("Where does this repository come from?", vec![exec("git remote -v")]),
        ("Which version of Python is here?", vec![exec("python3 --version")]),
        ("Remind me tomorrow at eight to call mum", vec![remind("at 2026-12-02 08:00", "Call mum")]),
        ("Remind me every Friday at five to send the report", vec![remind("0 17 * * 5", "Send the report")]),
        ("明天早上七点叫我起床", vec![remind("at 2026-12-02 07:00", "起床")]),
        ("每天晚上九点提醒我吃药", vec![remind("0 21 * * *", "吃药")]),
        ("Read my expenses and remind me in two hours to check them", vec![read("notes/expenses.md"), remind("in 2h", "Check the expenses")]),
        ("Which reminders are there? Then one for noon: lunch with Tom", vec![("cron", json!({"action": "list"})), remind("at 2026-12-02 12:00", "Lunch with Tom")]),
        ("Read https://example.com/soup and tell me what I need", vec![fetch("https://example.com/soup")]),
        ("Read https://example.com/soup and put what I need on my list", vec![fetch("https://example.com/soup"), read("lists/shopping.md"), part("lists/shopping.md", "- tea", "- tea\n- leek")]),
        ("看看 https://example.org/cai 然后把步骤写进笔记", vec![fetch("https://example.org/cai"), write("notes/菜谱.md")]),
        ("What do example.org and example.com/about say about opening hours?", vec![fetch("https://example.org"), fetch("https://example.com/about")]),
        ("When does the train to Hamburg leave tomorrow?", vec![search("train Berlin Hamburg tomorrow morning")]),
        ("Who won last night? And who plays next?", vec![search("football result last night"), search("football next match")]),
        ("查一下明天上海会不会下雨", vec![search("上海 明天 下雨")]),
        ("What is my sister called?", vec![recall("sister name")]),
        ("Remember: I am allergic to nuts", vec![remember("Allergic to nuts.")]),
        ("记住：我对花生过敏", vec![remember("对花生过敏")]),
        ("No, not nuts: peanuts", vec![recall("allergy"), supersede("Allergic to peanuts.")]),
        ("不对，是周四，不是周三", vec![recall("周三"), supersede("周四")]),
        ("Not Berlin any more, I moved to Hamburg", vec![recall("where I live"), supersede("Lives in Hamburg.")]),
        ("Forget what I told you about nuts", vec![recall("nuts"), ("memory_forget", json!({"id": "m9"}))]),
        ("What did I note on the third of May?", vec![("memory_get", json!({"path": "memory/2026-05-03.md"}))]),
        ("The project is due on 12 June, put that into its note", vec![read("notes/project.md"), part("notes/project.md", "milk", "milk\n\nDue: 12 June")]),
        ("Let somebody read my three notes and sum them up", vec![("spawn_agent", json!({"task": "Read the files in notes and sum them up.", "tools": ["read_file", "list_files"]}))]),
        ("Have the draft checked, then write a better one", vec![spawn("Read letters/draft.md and list its mistakes."), write("letters/better.md")]),
        ("让助手数一数清单，再写下来", vec![spawn("数一数 lists/shopping.md 里有几项。"), write("notes/数量.md")]),
        ("Add to what you check: the laundry on Sundays", vec![read("HEARTBEAT.md"), part("HEARTBEAT.md", "- Is the rent due?", "- Is the rent due?\n- The laundry on Sundays")]),
        ("以后每周日看看衣服洗了没有", vec![part("HEARTBEAT.md", "- Is the rent due?", "- Is the rent due?\n- 每周日看看衣服洗了没有")]),
        ("Is there a TODO left anywhere?", vec![find("TODO"), exec("grep -rn TODO notes lists")]),
        ("Write the minutes, then tell me", vec![write("notes/minutes.md"), notify("The minutes are written.")]),
        ("Read the draft to me and make a copy without the greeting", vec![read("letters/draft.md"), write("letters/plain.md")]),
    ]
}

fn furnish(home: &TestHome) {
    for (path, text) in [
        ("lists/shopping.md", "- milk\n- tea\n- quote\n"),
        ("notes/berlin.md", "Berlin, 3 May 柏林\n"),
        ("notes/expenses.md", "total 3\n"),
        ("notes/project.md", "milk\n"),
        ("letters/draft.md", "Dear milk,\n"),
    ] {
        let path = home.path(&format!("workspace/{path}"));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("makes");
        std::fs::write(path, text).expect("writes");
    }
}

/// What became of a call: none where nothing stood in its way.
async fn against(
    engine: &Engine,
    tool: &str,
    arguments: &Value,
    ends: &[(bool, String)],
) -> Option<String> {
    let (_, result) = ends.last()?;
    if result.starts_with("denied:") {
        return Some(result.clone());
    }
    // A tool that this build does not have yet is judged as if it had.
    let absent = !api::guard::has_tool(engine, tool);
    let ask = Explain {
        tool: tool.to_owned(),
        arguments: arguments.clone(),
        allow: None,
        shell: None,
        tainted: false,
        session: None,
        said: None,
    };
    let judged = api::guard::explain(engine, &ask).await.expect("judged");
    (absent && judged.verdict != "allow").then(|| format!("{}: {}", judged.verdict, judged.why))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ordinary_tasks_are_hardly_ever_asked_about() {
    let home = TestHome::new(FORMATS[0].0, FORMATS[0].1).await.expect("a home");
    let engine = open(home.folder.path(), Arc::new(Quiet)).await.expect("opens");
    furnish(&home);
    let tasks: Vec<Task> = tasks().into_iter().chain(week()).collect();
    let count = tasks.len();
    let (mut asked, mut blocked) = (Vec::new(), Vec::new());
    for (number, (text, calls)) in tasks.into_iter().enumerate() {
        let session = SessionKey::parse(&format!("assistant:task-{number}")).expect("a key");
        for (tool, arguments) in &calls {
            home.server.push(Reply::new().call(tool, arguments));
            if *tool == "spawn_agent" {
                home.server.push(Reply::new().text("Nothing is missing."));
            }
        }
        home.server.push(Reply::new().text("Done."));
        let events = run(&engine, Submit { session, ..message(text) }).await;
        let mut found = None;
        for (tool, arguments) in &calls {
            let ends = results(&events, tool, arguments);
            found = found.or(against(&engine, tool, arguments, &ends).await);
        }
        match found {
            Some(why) if why.contains("nobody is here to be asked") || why.starts_with("ask:") => {
                asked.push(format!("{text}: {why}"));
            }
            Some(why) => blocked.push(format!("{text}: {why}")),
            None => {}
        }
    }
    eprintln!("{count} ordinary tasks: {} asked about, {} blocked", asked.len(), blocked.len());
    asked.iter().for_each(|line| eprintln!("  asked: {line}"));
    engine.close().await;
    assert!(blocked.is_empty(), "{}", blocked.join("\n"));
    assert!(asked.len() * 20 <= count, "{} of {count}:\n{}", asked.len(), asked.join("\n"));
    assert!(count >= 120, "{count} tasks");
}
