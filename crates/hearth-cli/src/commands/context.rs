//! `hearth context`: what a model call was given, or would be.

use crate::access::Reach;
use crate::args::Context;
use crate::terminal::{Failure, print, print_json};
use hearth_engine::api;

pub(crate) async fn run(reach: &Reach, context: Context, json: bool) -> Result<(), Failure> {
    let engine = reach.read().await?;
    let mut manifest = match context.call {
        Some(number) => api::context::numbered(&engine, context.session, number).await?,
        None => api::context::call(&engine, context.session, None, None).await?,
    };
    if !context.text {
        for section in &mut manifest.sections {
            section.text = None;
        }
    }
    if json {
        return print_json(&manifest);
    }
    for section in &manifest.sections {
        let cut =
            if section.truncated { format!(" (of {})", section.raw_chars) } else { String::new() };
        let size = format!("{} chars{cut}, {} tokens", section.chars, section.tokens);
        print(&format!("{}  {}  {size}  {}\n", section.name, section.source, section.reason))?;
        if let Some(text) = &section.text {
            print(&format!("{}\n\n", text.trim_end()))?;
        }
    }
    let kind = if manifest.exact { "counted" } else { "estimated" };
    print(&format!(
        "{} of {} tokens ({kind}) for {}\n",
        manifest.total_tokens, manifest.window, manifest.model
    ))
}
