import CYAML

/// The events of a YAML text, read by libyaml; the one owner of its parser.
///
/// Anchors, aliases and tags are refused: a manifest has the values of JSON, each where it is written.
struct YAMLEvents: ~Copyable {
    /// An event and the offset in bytes where it begins.
    struct Event {
        enum Kind {
            case scalar(String, isPlain: Bool)
            case sequenceStart
            case sequenceEnd
            case mappingStart
            case mappingEnd
            case documentEnd
            /// The beginning or the end of the text, or the beginning of a document.
            case other
        }

        let kind: Kind
        let offset: Int
        /// The offset behind it; behind a block, that of what comes next.
        let end: Int
    }

    private let text: UnsafeBufferPointer<UInt8>
    /// Allocated, since the parser keeps a pointer to itself.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private var cursor: YAMLCursor

    /// Begins with the byte at `start`; `text` is not empty behind it and stays where it is for the life of the events.
    init(_ text: UnsafeBufferPointer<UInt8>, from start: Int) throws(JSONParser.SyntaxError) {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        guard yaml_parser_initialize(parser) != 0 else {
            parser.deallocate()
            throw JSONParser.SyntaxError(start, "not enough memory to read YAML")
        }
        self.text = text
        self.parser = parser
        cursor = YAMLCursor(text, from: start)
        // Not guessed from the first bytes, which may be UTF-16.
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        let rest = UnsafeBufferPointer(rebasing: text[start...])
        yaml_parser_set_input_string(parser, rest.baseAddress, rest.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// Returns the next event.
    /// - Throws: The first place that is not YAML, or that only YAML can say.
    mutating func next() throws(JSONParser.SyntaxError) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) != 0 else { throw syntaxError() }
        defer { yaml_event_delete(&event) }
        let offset = cursor.offset(of: event.start_mark)
        let end = cursor.offset(of: event.end_mark)
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            try refuse(anchor: scalar.anchor, tag: scalar.tag, at: offset)
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            return Event(
                kind: .scalar(String(decoding: bytes, as: UTF8.self), isPlain: isPlain),
                offset: offset,
                end: end
            )
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            try refuse(anchor: start.anchor, tag: start.tag, at: offset)
            return Event(kind: .sequenceStart, offset: offset, end: end)
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            try refuse(anchor: start.anchor, tag: start.tag, at: offset)
            return Event(kind: .mappingStart, offset: offset, end: end)
        case YAML_ALIAS_EVENT:
            throw JSONParser.SyntaxError(
                offset,
                "aliases are not supported: repeat the value, or put text that begins with * in quotes"
            )
        case YAML_SEQUENCE_END_EVENT: return Event(kind: .sequenceEnd, offset: offset, end: end)
        case YAML_MAPPING_END_EVENT: return Event(kind: .mappingEnd, offset: offset, end: end)
        case YAML_DOCUMENT_END_EVENT: return Event(kind: .documentEnd, offset: end, end: end)
        default: return Event(kind: .other, offset: offset, end: end)
        }
    }

    private func refuse(
        anchor: UnsafeMutablePointer<UInt8>?,
        tag: UnsafeMutablePointer<UInt8>?,
        at offset: Int
    ) throws(JSONParser.SyntaxError) {
        if anchor != nil {
            throw JSONParser.SyntaxError(
                offset,
                "anchors are not supported: remove it, or put text that begins with & in quotes"
            )
        }
        if tag != nil {
            throw JSONParser.SyntaxError(
                offset,
                "tags are not supported: remove it, or put text that begins with ! in quotes"
            )
        }
    }

    /// The error that libyaml stopped at, with its remedy.
    private mutating func syntaxError() -> JSONParser.SyntaxError {
        let state = parser.pointee
        let problem = state.problem.map { String(cString: $0) } ?? "unknown error"
        switch state.error {
        case YAML_MEMORY_ERROR:
            return JSONParser.SyntaxError(cursor.start, "not enough memory to read YAML")
        case YAML_READER_ERROR:
            // It counts bytes, the others characters.
            let message =
                problem == "control characters are not allowed"
                ? "a control character: write it as an escape in double quotes, such as \"\\n\""
                : "the bytes are not UTF-8: save the file as UTF-8"
            return JSONParser.SyntaxError(cursor.start + state.problem_offset, message)
        default:
            let offset = cursor.offset(of: state.problem_mark)
            let context =
                state.context.map { " \(String(cString: $0))\(place(of: state.context_mark))" } ?? ""
            let remedy = YAMLRemedy.sentence(for: problem, context: context)
            return JSONParser.SyntaxError(offset, "not YAML: \(problem)\(context): \(remedy)")
        }
    }

    private mutating func place(of mark: yaml_mark_t) -> String {
        let positions = TextPosition.positions(of: [cursor.offset(of: mark)], in: text)
        return positions.first.map { " in line \($0.line), column \($0.column)" } ?? ""
    }
}

/// A place in a text that libyaml gives in characters, found in bytes.
private struct YAMLCursor {
    private let text: UnsafeBufferPointer<UInt8>
    /// The offset of the first character.
    let start: Int
    private var offset: Int
    private var character = 0

    init(_ text: UnsafeBufferPointer<UInt8>, from start: Int) {
        self.text = text
        self.start = start
        offset = start
    }

    /// The offset of a mark in bytes; marks come nearly in the order of the text, so it is found from the last one.
    mutating func offset(of mark: yaml_mark_t) -> Int {
        while character < mark.index, offset < text.count {
            offset += 1
            while offset < text.count, isContinuation(offset) { offset += 1 }
            character += 1
        }
        while character > mark.index, offset > start {
            offset -= 1
            while offset > start, isContinuation(offset) { offset -= 1 }
            character -= 1
        }
        return offset
    }

    private func isContinuation(_ index: Int) -> Bool { text[index] & 0xC0 == 0x80 }
}
