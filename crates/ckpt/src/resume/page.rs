//! Renders facts as a brief within a token budget.
//!
//! Hazards and the next step are never left out. The rest shares the room by value, not by order: what is cut is counted,
//! with the command that shows it.

use std::collections::HashSet;

use crate::facts::{Fact, FactKind, Facts, Hazard};
use crate::tokens::Counter;
use crate::voice::{INTRODUCTION, flat, name, quote, suggested};

/// The length of a line that begins with "Not now", unless there is room for all of it.
const NOT_NOW: usize = 200;

/// A rendered brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text to show.
    pub text: String,
    /// Whether anything was omitted.
    pub shortened: bool,
}

/// The token counter for briefs: a brief must fit the budget of every reader.
pub const COUNTER: Counter = Counter::Claude;

impl Text {
    /// The number of tokens, as an upper estimate.
    #[must_use]
    pub fn tokens(&self) -> usize {
        COUNTER.count(&self.text)
    }
}

/// Renders the facts about a work tree.
#[must_use]
pub fn brief(facts: &Facts, budget: usize) -> Text {
    let budget = budget.saturating_sub(COUNTER.count(&closing(facts)));
    let mut page = Page::new(facts, budget, Extent::Brief);
    page.lead(WIDTHS[0]);
    if page.length() <= MAX_BYTES {
        page.show_all();
        let whole = page.text();
        if whole.len() <= MAX_BYTES && COUNTER.fits(&whole, budget) {
            return page.finish(whole);
        }
        page = Page::new(facts, budget, Extent::Brief);
    }
    for width in WIDTHS {
        page.lead(width);
        let text = page.text();
        // Long texts must leave room for the rest.
        let room = match width {
            usize::MAX => budget / 2,
            _ => budget,
        };
        if text.len() <= MAX_BYTES && COUNTER.fits(&text, room) {
            break;
        }
    }
    page.fill();
    let text = page.text();
    page.finish(text)
}

/// Renders all facts in full, however long that is.
#[must_use]
pub fn whole(facts: &Facts) -> Text {
    let mut page = Page::new(facts, usize::MAX, Extent::Whole);
    page.lead(usize::MAX);
    page.show_all();
    let text = page.text();
    page.finish(text)
}

/// How long a hazard or a detail of the next step may be, in characters: as long as it fits, else shorter. Nothing of
/// them is left out, however small the budget.
const WIDTHS: [usize; 5] = [usize::MAX, 900, 500, 250, 120];

/// Below this width, hazards are told in their short form and without the command that shows more.
const FULL: usize = 300;

/// How many hazards of one kind are told; the others are counted.
const MOST_OF_A_KIND: usize = 3;

/// After this many lines that do not fit, no more are tried.
const MOST_MISSES: usize = 20;

/// The end of a text that is shown in part.
const CUT: &str = " …";

/// The cost of a title, in tokens.
const TITLE: usize = 12;

/// The platforms that inject this text cut it off at 10,000 characters.
const MAX_BYTES: usize = 9_000;

/// A part of the page.
struct Section {
    title: &'static str,
    /// The lines that are always shown.
    fixed: Vec<String>,
    /// Lines to show where there is room, each with its value.
    optional: Vec<Line>,
    /// The optional lines that are shown.
    shown: Vec<bool>,
    /// The command that shows what was cut.
    more: Option<String>,
}

impl Section {
    fn new(title: &'static str) -> Self {
        Self {
            title,
            fixed: Vec::new(),
            optional: Vec::new(),
            shown: Vec::new(),
            more: None,
        }
    }

    fn offer(&mut self, value: u32, line: String) {
        self.offer_longer(value, line, None);
    }

    /// Offers a text of at most this many characters, or all of it if there is room.
    fn offer_cut(&mut self, value: u32, text: &str, most: usize) {
        self.offer_longer(
            value,
            format!("- {}", cut(text, most)),
            Some(format!("- {text}")),
        );
    }

    /// Offers a line, and a longer one to show instead if there is room for that too.
    fn offer_longer(&mut self, value: u32, text: String, longer: Option<String>) {
        let longer = longer.filter(|longer| *longer != text);
        self.optional.push(Line {
            value,
            text,
            longer,
        });
        self.shown.push(false);
    }

    /// How many optional lines are not shown.
    fn cut(&self) -> usize {
        self.shown.iter().filter(|is_shown| !**is_shown).count()
    }

    /// The lines that are shown.
    fn lines(&self) -> impl Iterator<Item = &String> {
        let shown = self.optional.iter().zip(&self.shown);
        let shown = shown.filter(|(_, is_shown)| **is_shown);
        let lines = shown.map(|(line, _)| &line.text);
        self.fixed.iter().chain(lines)
    }

    fn written(&self, counts: Counts) -> String {
        let lines: Vec<&String> = self.lines().collect();
        let cut = match counts {
            Counts::Here => self.cut(),
            Counts::Together => 0,
        };
        if lines.is_empty() && cut == 0 {
            return String::new();
        }
        let mut text = match self.title {
            "" => String::new(),
            title => format!("{title}\n"),
        };
        for line in lines {
            let indent = line.len() - line.trim_start_matches(' ').len();
            text += &line[..indent];
            text += &flat(line);
            text.push('\n');
        }
        if cut > 0 {
            let more = self.more.as_deref().unwrap_or("ckpt resume --full");
            text += &format!("- and {cut} more: {more}\n");
        }
        text
    }
}

/// How much is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// What fits.
    Brief,
    /// Everything.
    Whole,
}

/// Where what was cut is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// At the end of each section.
    Here,
    /// At the end of the page, where there is little room.
    Together,
}

/// A line that is shown where there is room.
struct Line {
    value: u32,
    text: String,
    longer: Option<String>,
}

struct Page<'f> {
    facts: &'f Facts,
    budget: usize,
    extent: Extent,
    sections: Vec<Section>,
    counts: Counts,
}

impl<'f> Page<'f> {
    fn new(facts: &'f Facts, budget: usize, extent: Extent) -> Self {
        let mut page = Self {
            facts,
            budget,
            extent,
            sections: Vec::new(),
            counts: Counts::Here,
        };
        page.sections = vec![
            Section::new(""),
            Section::new("CHECK FIRST"),
            Section::new("NEXT"),
            page.done(),
            page.remarks("DECIDED", FactKind::Decided),
            page.remarks("NOTES, newest first", FactKind::Noted),
            page.open(),
            page.also(),
        ];
        page
    }

    fn text(&self) -> String {
        let sections = self.sections.iter();
        let mut text: String = sections
            .map(|section| section.written(self.counts))
            .collect();
        if self.counts == Counts::Together {
            text += &self.left_out();
        }
        text
    }

    /// How many texts are shown in part, with the command that shows them.
    fn shortened(&self) -> Option<String> {
        let sections = self.sections.iter();
        let lines = sections.flat_map(Section::lines);
        let count = lines.filter(|line| line.contains(CUT)).count();
        let show = self.show_command().filter(|_| count > 0)?;
        Some(match count {
            1 => format!("One text is shortened. In full: {show}\n"),
            count => format!("{count} texts are shortened. In full: {show}\n"),
        })
    }

    /// What was cut, in one line.
    fn left_out(&self) -> String {
        let cut = self.sections.iter().filter(|section| section.cut() > 0);
        let counts = cut.map(|section| {
            let title = section.title.split(',').next().unwrap_or_default();
            format!("{} {title}", section.cut())
        });
        let counts: Vec<String> = counts.collect();
        match counts.is_empty() {
            true => String::new(),
            false => {
                let more = self.show_command().unwrap_or_default();
                format!(
                    "Left out: {}. More: {more}; ckpt status --all\n",
                    counts.join(", ")
                )
            }
        }
    }

    /// The parts that are always shown.
    fn lead(&mut self, width: usize) {
        let mut first = vec![INTRODUCTION.to_owned()];
        if let Some(focus) = &self.facts.focus {
            let title = focus
                .title
                .as_deref()
                .map(|title| format!(" {}", quote(title)));
            first.push(format!(
                "In focus: {}{}, {} of {} {}s done.",
                name(&focus.key.short()),
                title.unwrap_or_default(),
                focus.progress.done,
                focus.progress.total,
                focus.unit.one()
            ));
        }
        self.sections[0].fixed = first;
        self.sections[1].fixed = self.hazards(width);
        self.sections[2].fixed = self.next(width);
    }

    /// One line for each kind of hazard.
    fn hazards(&self, width: usize) -> Vec<String> {
        let hazards: Vec<&Fact> = self.facts.hazards().collect();
        let kinds = hazards.chunk_by(|one, two| one.kind == two.kind);
        let most = match self.extent {
            Extent::Brief => MOST_OF_A_KIND,
            Extent::Whole => usize::MAX,
        };
        let is_told = |command: &str| self.is_in_next(command);
        kinds
            .map(|kind| hazard(kind, width, most, is_told))
            .collect()
    }

    fn next(&self, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let Some(next) = self.facts.next() else {
            return lines;
        };
        lines.push(cut(&next.text, width.max(FULL)));
        let details = next.details.iter().map(|detail| cut(detail, width));
        lines.extend(details.map(|detail| format!("  {detail}")));
        if let Some(command) = next.command.as_ref().filter(|command| !records(command)) {
            lines.push(format!("  Do it with: {command}"));
        }
        let not_now = self.facts.of(|kind| *kind == FactKind::NotNow);
        let most = match width {
            usize::MAX => usize::MAX,
            width => width.min(NOT_NOW),
        };
        lines.extend(not_now.map(|fact| {
            let text = self.without_told_blocker(&fact.text);
            format!("  Not now: {}", cut(&text, most))
        }));
        lines
    }

    /// What is not to be done now. Of a blocker that a hazard tells, only the beginning is repeated.
    fn without_told_blocker(&self, text: &str) -> String {
        const BLOCKED: &str = "blocked: ";
        const WORDS: usize = 5;
        let blocker = text.split_once(BLOCKED).filter(|(_, blocker)| {
            let mut hazards = self.facts.hazards();
            blocker.split(' ').count() > WORDS + 1
                && hazards.any(|hazard| hazard.text.contains(blocker))
        });
        match blocker {
            Some((before, blocker)) if self.extent == Extent::Brief => {
                let first: Vec<&str> = blocker.split(' ').take(WORDS).collect();
                let first = first.join(" ");
                let first = first.trim_end_matches([',', ':', ';']);
                format!("{before}blocked, see above: {first}\"")
            }
            _ => text.to_owned(),
        }
    }

    /// Whether the next step already names a command.
    fn is_in_next(&self, command: &str) -> bool {
        self.facts.next().is_some_and(|next| {
            let mut details = next.details.iter();
            next.command.as_deref() == Some(command)
                || details.any(|detail| detail.ends_with(command))
        })
    }

    fn done(&self) -> Section {
        let mut section = Section::new("DONE, do not redo");
        let done: Vec<&Fact> = self.facts.of(|kind| *kind == FactKind::Done).collect();
        section.more = self.show_command();
        let count = done.len();
        for (number, fact) in done.into_iter().enumerate() {
            let age = u32::try_from(count - number).unwrap_or(u32::MAX);
            let value = 900 - age.min(800);
            let Some(summary) = fact.details.first() else {
                section.offer(value, format!("- {}", fact.text));
                continue;
            };
            let with = |summary: &str| format!("- {}: {}", fact.text, quote(summary));
            // The newest summary in full; the others in a sentence, unless there is room.
            let short = match age {
                1 => cut(summary, 800),
                _ => cut(first_sentence(summary), 160),
            };
            section.offer_longer(value, with(&short), Some(with(summary)));
        }
        section
    }

    fn remarks(&self, title: &'static str, kind: FactKind) -> Section {
        let mut section = Section::new(title);
        section.more = self.show_command();
        // What the next step already quotes is not repeated.
        let next = self.facts.next().map(|next| next.details.as_slice());
        let not_now = self.facts.of(|kind| *kind == FactKind::NotNow);
        let not_now: Vec<String> = not_now.map(|fact| cut(&fact.text, NOT_NOW)).collect();
        let is_told = |fact: &&Fact| {
            let details = next.unwrap_or_default().iter();
            let mut told = details.chain(&not_now);
            told.any(|told| told.contains(&fact.text))
        };
        let remarks = self.facts.of(|found| *found == kind);
        let remarks = remarks.filter(|fact| !is_told(fact));
        for (number, fact) in remarks.enumerate() {
            let rank = u32::try_from(number).unwrap_or(u32::MAX).min(800);
            section.offer_cut(850 - rank, &fact.text, 400);
        }
        section
    }

    fn open(&self) -> Section {
        let mut section = Section::new("OPEN AFTER");
        section.more = self.show_command();
        // What is not to be done now is named there.
        let not_now = self.facts.of(|kind| *kind == FactKind::NotNow);
        let not_now: HashSet<&String> = not_now.flat_map(|fact| &fact.ids).collect();
        let is_named =
            |fact: &&Fact| !fact.ids.is_empty() && fact.ids.iter().all(|id| not_now.contains(id));
        let open = self.facts.of(|kind| *kind == FactKind::Open);
        for (number, fact) in open.filter(|fact| !is_named(fact)).enumerate() {
            let rank = u32::try_from(number).unwrap_or(u32::MAX).min(790);
            section.offer_cut(800 - rank, &fact.text, 160);
        }
        section
    }

    fn also(&self) -> Section {
        let mut section = Section::new("ALSO");
        section.more = Some("ckpt status --all".to_owned());
        let elsewhere = self.facts.of(|kind| *kind == FactKind::Elsewhere);
        for (number, fact) in self.facts.missing().chain(elsewhere).enumerate() {
            let rank = u32::try_from(number).unwrap_or(u32::MAX).min(790);
            section.offer_cut(820 - rank, &fact.text, 160);
        }
        section
    }

    /// The command that shows all there is to tell about the checkpoint in focus.
    fn show_command(&self) -> Option<String> {
        let focus = self.facts.focus.as_ref()?;
        Some(format!(
            "ckpt resume {} --full",
            suggested(&focus.key.short())
        ))
    }

    /// How long everything would be at most, in bytes.
    fn length(&self) -> usize {
        let lines = self.sections.iter().flat_map(|section| &section.optional);
        lines.map(|line| line.text.len()).sum()
    }

    /// Shows everything, in its longest form.
    fn show_all(&mut self) {
        for section in &mut self.sections {
            section.shown.fill(true);
            for line in &mut section.optional {
                if let Some(longer) = line.longer.take() {
                    line.text = longer;
                }
            }
        }
    }

    /// Shows optional lines, the most valuable first, as long as there is room.
    fn fill(&mut self) {
        let mut order: Vec<(u32, usize, usize)> = Vec::new();
        for (section, known) in self.sections.iter().enumerate() {
            let lines = known.optional.iter().enumerate();
            order.extend(lines.map(|(line, known)| (known.value, section, line)));
        }
        order.sort_by_key(|(value, section, line)| (std::cmp::Reverse(*value), *section, *line));
        if !COUNTER.fits(&self.text(), self.budget) {
            self.counts = Counts::Together;
        }
        // Room for the titles, and for the lines that count what was cut.
        let taken = COUNTER.count(&self.text()) + 2 * TITLE;
        let mut room = self.budget.saturating_sub(taken);
        let mut misses = 0;
        for (_, section, line) in &order {
            if misses > MOST_MISSES {
                break;
            }
            let known = &mut self.sections[*section];
            let is_first = self.counts == Counts::Together && !known.shown.contains(&true);
            let title = if is_first { TITLE } else { 0 };
            let cost = COUNTER.count(&known.optional[*line].text) + 1 + title;
            match cost <= room {
                true => {
                    known.shown[*line] = true;
                    room -= cost;
                }
                false => misses += 1,
            }
        }
        for (_, section, line) in &order {
            let known = &mut self.sections[*section];
            let is_shown = known.shown[*line];
            let line = &mut known.optional[*line];
            let Some(longer) = line.longer.take().filter(|_| is_shown) else {
                continue;
            };
            let cost = COUNTER
                .count(&longer)
                .saturating_sub(COUNTER.count(&line.text));
            if cost <= room {
                line.text = longer;
                room -= cost;
            }
        }
    }

    fn finish(self, mut text: String) -> Text {
        let is_cut = |section: &Section| section.shown.iter().any(|is_shown| !is_shown);
        let shortened = match self.extent {
            Extent::Brief => self.shortened(),
            Extent::Whole => None,
        };
        text += shortened.as_deref().unwrap_or_default();
        text += &closing(self.facts);
        Text {
            shortened: shortened.is_some() || self.sections.iter().any(is_cut),
            text,
        }
    }
}

/// The last line, which names the command that records the next step: what a reader sees last, it remembers.
fn closing(facts: &Facts) -> String {
    let command = facts.next().and_then(|next| next.command.as_ref());
    command
        .filter(|command| records(command))
        .map_or_else(String::new, |command| match command.contains(" unblock ") {
            // Somebody could take it for something to do now.
            true => format!("Once that is resolved, run: {command}\n"),
            false => format!("Record NEXT with: {command}\n"),
        })
}

/// Whether a command is one of ours, which records what was done.
fn records(command: &str) -> bool {
    command.starts_with("ckpt ")
}

/// Whether a command shows something and changes nothing.
fn shows(command: &str) -> bool {
    const SHOWING: [&str; 8] = [
        "git bisect log",
        "git status",
        "git diff",
        "git stash show",
        "ckpt resume",
        "ckpt log",
        "ckpt gate check",
        "ckpt gate show",
    ];
    SHOWING.iter().any(|shows| command.starts_with(shows))
}

/// The hazards of one kind, in a line.
fn hazard(kind: &[&Fact], width: usize, most: usize, is_told: impl Fn(&str) -> bool) -> String {
    let is_full = width >= FULL;
    let texts = kind.iter().take(most).map(|fact| match &fact.short {
        Some(short) if !is_full => short.as_str(),
        _ => fact.text.as_str(),
    });
    let text = texts.collect::<Vec<_>>().join(" ");
    let more = match kind.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" And {more} more of this kind."),
    };
    let command = kind[0].command.as_ref().filter(|_| is_full);
    let command = command.filter(|command| !is_told(command));
    let command = command.map(|command| match kind[0].hazard() {
        Some(Hazard::Blocked | Hazard::Stopped | Hazard::Failed) => {
            format!(" Once it is settled: {command}")
        }
        _ if shows(command) => format!(" See: {command}"),
        _ => format!(" Run: {command}"),
    });
    format!(
        "- {}{more}{}",
        cut(&text, width),
        command.unwrap_or_default()
    )
}

/// A text of at most this many characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most).collect();
    let kept = kept
        .rsplit_once(' ')
        .map_or(kept.as_str(), |(kept, _)| kept);
    let quote = if kept.matches('"').count() % 2 == 1 {
        "\""
    } else {
        ""
    };
    format!("{kept}{CUT}{quote}")
}

fn first_sentence(text: &str) -> &str {
    let mut ends = text.match_indices(". ");
    ends.next().map_or(text, |(at, _)| &text[..=at])
}

#[cfg(test)]
mod tests;
