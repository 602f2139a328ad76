//! The words of the protocol.

/// An enumeration of words, with the list of them and the way there and back.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$word_about:meta])* $word:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $name {
            $($(#[$word_about])* #[serde(rename = $text)] $word,)+
        }

        impl $name {
            /// All there are.
            pub const ALL: &'static [Self] = &[$(Self::$word,)+];

            /// How it is written.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)+
                }
            }

            /// The one that is written so.
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
    /// Which of the two a handoff is.
    Kind {
        /// What somebody is asked to do.
        Request = "request",
        /// What came of it.
        Response = "response",
    }
}

words! {
    /// What kind of step it is.
    Phase {
        /// Finding out.
        Research = "research",
        /// Making.
        Write = "write",
        /// Checking.
        Validate = "validate",
        /// Several at once.
        Parallel = "parallel",
    }
}

words! {
    /// What the sub-agent is a specialist for.
    Mode {
        /// Research, design and documentation of plans.
        Plan = "plan",
        /// Implementation.
        Code = "code",
        /// Implementation of user interfaces.
        Ui = "ui",
        /// Writing documentation.
        Docs = "docs",
        /// Testing and validation.
        Eval = "eval",
        /// Comparing plan and implementation.
        Reconcile = "reconcile",
        /// Investigation.
        Research = "research",
    }
}

words! {
    /// What is expected in return.
    ExpectedOutput {
        /// Of research.
        StructuredFindings = "structured_findings",
        /// Of writing.
        FilesChanged = "files_changed",
        /// Of validating.
        ValidationResult = "validation_result",
        /// Of several at once.
        AggregatedResults = "aggregated_results",
    }
}

words! {
    /// How far it came.
    Status {
        /// To the end.
        Complete = "complete",
        /// A part of the way.
        Partial = "partial",
        /// Nowhere.
        Blocked = "blocked",
    }
}

words! {
    /// What is to be done now.
    Decision {
        /// Go on.
        Proceed = "PROCEED",
        /// Do not go on.
        Stop = "STOP",
        /// Somebody has to say something first.
        Clarify = "CLARIFY",
    }
}

impl Phase {
    /// What is expected in return of such a step.
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
