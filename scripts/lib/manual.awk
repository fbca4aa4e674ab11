# What ArgumentParser's page of a program lacks, and what it has too much.
#
# -v commands=yes|no   whether the program has subcommands
# -v sections=FILE     what follows the options: FILES, EXIT STATUS, and so on
#
# Left out: the commands that nobody is to use (help, generate), each command's own --help and --version, empty lines
# (which groff complains of), paragraphs that are followed by no text, the paragraph on exit statuses, which the
# sections tell in full, and the parser's own EXIT STATUS, which is wrong.

# emit LINE: after the paragraph that was held back, where text follows it.
function emit(line) {
    if (paragraph && line !~ /^\.(It|El|Sh|Bl)/) print ".Pp"
    paragraph = 0
    print line
}

/^\.Sh "?EXIT STATUS"?/ { while ((getline line < sections) > 0) print line; exit }
/^\.Ar subcommand$/ && commands == "no" { next }
/^\.Bl / { depth++ }
/^\.El/ { depth--; if (skipped && depth < skipped) skipped = 0 }
# An item ends what was left out at its depth.
/^\.It/ && skipped && depth <= skipped { skipped = 0 }
!skipped && /^\.It Em (help|generate)$/ { skipped = depth }
!skipped && /^\.It Fl (-version|h , -help)$/ && depth > 1 { skipped = depth }
skipped { next }
/^$/ || /^\.Pp$/ { paragraph = 1; next }
/^Exit status: / { paragraph = 0; next }
/^\.Nd / { sub(/\."$/, "\"") }
{ emit($0) }
