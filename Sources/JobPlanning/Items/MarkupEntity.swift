extension Unicode.Scalar {
    /// The reference that stands for this character in the text and the attributes of HTML and XML; nil for the others.
    package var markupEntity: String? {
        switch self {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        default: nil
        }
    }
}
