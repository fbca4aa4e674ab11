# A page of docs/ as a manual page in mdoc: headings, paragraphs, lists, tables and blocks between fences.
#
# -v name=NAME -v section=N -v date=DATE   what the manual page is called, and its date
# -v about=TEXT                            the line of NAME
# -v also=FILE                             what follows the page: FILES, SEE ALSO, and so on
#
# A table becomes a tagged list: its first column is the tag, the others follow under their headings, where there is more
# than one of them. Links lose their addresses.

# inline TEXT: what stands in a line, in roff's words.
function inline(text,    out, start) {
    gsub(/\\/, "\\e", text)
    while (match(text, /\[[^]]*\]\([^)]*\)/)) {
        out = substr(text, RSTART, RLENGTH)
        start = RSTART
        sub(/\]\([^)]*\)$/, "", out)
        text = substr(text, 1, start - 1) substr(out, 2) substr(text, start + RLENGTH)
    }
    text = paired(text, "\\*\\*", 2, "\\fB", "\\fP")
    text = paired(text, "`", 1, "\\fB", "\\fP")
    return guarded(text)
}

# paired TEXT MARK LENGTH BEFORE AFTER: every two marks become BEFORE and AFTER.
function paired(text, mark, length_of_it, before, after,    is_open, out) {
    while (match(text, mark)) {
        out = out substr(text, 1, RSTART - 1) (is_open ? after : before)
        text = substr(text, RSTART + length_of_it)
        is_open = !is_open
    }
    return out text
}

# guarded TEXT: never taken for a request.
function guarded(text) { return (text ~ /^['.]/ ? "\\&" : "") text }

# argument TEXT: what stands behind a macro, where words such as At and No would be taken for macros, and quotes for quotes.
function argument(text,    word, count, at) {
    gsub(/"/, "\\(dq", text)
    count = split(text, word, " ")
    text = ""
    for (at = 1; at <= count; at++)
        text = text (at > 1 ? " " : "") (word[at] ~ /^(%?[A-Z][a-z0-9]?|[[:punct:]])$/ ? "\\&" : "") word[at]
    return text
}

function end_list() {
    if (list != "") print ".El"
    list = ""
}

function begin_list(kind) {
    if (list == kind) return
    end_list()
    print ".Bl -" kind (kind == "tag" ? " -width 4n" : "")
    list = kind
    paragraph = 0
}

function text_follows() {
    if (paragraph) print ".Pp"
    paragraph = 0
}

function heading(text) {
    end_list()
    paragraph = 0
    follows_table = 0
    return argument(text)
}

# cells ROW: into cell[1...], without the blanks around them.
function cells(row,    count, index_of) {
    sub(/^\| */, "", row)
    sub(/ *\|$/, "", row)
    count = split(row, cell, / *\| */)
    return count
}

function row(    count, column, said) {
    count = cells($0)
    begin_list("tag")
    print ".It " argument(inline(cell[1]))
    for (column = 2; column <= count; column++) {
        if (cell[column] == "–" || cell[column] == "") continue
        said = cell[column]
        if (count > 2) said = head[column] ": " said (column < count && said !~ /[.;]$/ ? "." : "")
        print inline(said)
    }
}

BEGIN {
    print ".Dd " date
    print ".Dt " toupper(name) " " section
    print ".Os"
    print ".Sh NAME"
    print ".Nm " name
    print ".Nd " about
    print ".Sh DESCRIPTION"
}

/^```/ {
    is_fenced = !is_fenced
    if (is_fenced) { end_list(); paragraph = 0; print ".Bd -literal" } else { print ".Ed" }
    next
}
is_fenced { gsub(/\\/, "\\e"); print guarded($0); next }
/^# / { next }
/^## / { print ".Sh " toupper(heading(substr($0, 4))); next }
/^### / { print ".Ss " heading(substr($0, 5)); next }
/^\|[-|]*\|$/ { next }
/^\| / {
    if (!is_table) {
        is_table = 1
        end_list()
        columns = cells($0)
        for (column = 1; column <= columns; column++) head[column] = toupper(substr(cell[column], 1, 1)) substr(cell[column], 2)
        # Two tables in a row would be read as one list.
        if (follows_table) { print ".Pp"; print head[1] ", " cell[2] ":" }
        follows_table = 1
        next
    }
    row()
    next
}
{ is_table = 0 }
/^$/ { if (list == "tag") end_list(); paragraph = 1; next }
/^- / { begin_list("bullet"); paragraph = 0; print ".It"; print inline(substr($0, 3)); next }
/^  / && list == "bullet" { sub(/^ +/, ""); print inline($0); next }
{ end_list(); text_follows(); follows_table = 0; print inline($0) }
END {
    end_list()
    while ((getline line < also) > 0) print line
}
