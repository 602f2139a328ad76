//! The words of the protocol.

/// Defines an enumeration of words, with a list of all of them and conversions to and from text.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$word_about:meta])* $word:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $name {
            $($(#[$word_about])* #[serde(rename = $text)] $word,)+
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$word,)+];

            /// How it is written.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)+
                }
            }

            /// Parses the written form.
            #[must_use]
            pub fn read(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// The kind of a handoff.
    Kind {
        /// A task for a sub-agent.
        Request = "request",
        /// The sub-agent's answer.
        Response = "response",
    }
}

words! {
    /// The kind of step.
    Phase {
        /// Research.
        Research = "research",
        /// Writing.
        Write = "write",
        /// Checking.
        Validate = "validate",
        /// Several steps at once.
        Parallel = "parallel",
    }
}

words! {
    /// The specialization of the sub-agent.
    Mode {
        /// Research/design/documentation tasks.
        Plan = "plan",
        /// Implementation tasks (lib, scripts, logic).
        Code = "code",
        /// UI component implementation.
        Ui = "ui",
        /// Documentation writing.
        Docs = "docs",
        /// Testing/validation tasks.
        Eval = "eval",
        /// Compare plan vs implementation.
        Reconcile = "reconcile",
        /// Investigation and discovery.
        Research = "research",
    }
}

words! {
    /// The form of the findings.
    ExpectedOutput {
        /// For research.
        StructuredFindings = "structured_findings",
        /// For writing.
        FilesChanged = "files_changed",
        /// For validation.
        ValidationResult = "validation_result",
        /// For several steps at once.
        AggregatedResults = "aggregated_results",
    }
}

words! {
    /// How far the task got.
    Status {
        /// It is complete.
        Complete = "complete",
        /// It is partly done.
        Partial = "partial",
        /// It is blocked.
        Blocked = "blocked",
    }
}

words! {
    /// What to do now.
    Decision {
        /// Continue.
        Proceed = "PROCEED",
        /// Stop.
        Stop = "STOP",
        /// Ask for clarification first.
        Clarify = "CLARIFY",
    }
}

impl Phase {
    /// The expected output of such a step.
    #[must_use]
    pub fn expected_output(self) -> ExpectedOutput {
        match self {
            Self::Research => ExpectedOutput::StructuredFindings,
            Self::Write => ExpectedOutput::FilesChanged,
            Self::Validate => ExpectedOutput::ValidationResult,
            Self::Parallel => ExpectedOutput::AggregatedResults,
        }
    }
}
