/// The mapping of datasets to properties of XMP (IPTC Photo Metadata Standard 2023.2, "IIM Identifier").
extension IPTCDatasets {
    /// A property that holds the texts of a dataset.
    struct Property {
        /// The form of its value.
        enum Form {
            case text
            /// A list of this type, such as `Seq`.
            case list(String)
            /// The alternatives of languages, of which the dataset is the default one.
            case localized
        }

        let name: String
        let form: Form
        let texts: [String]
    }

    /// The properties of some classes that the datasets have texts for.
    func properties(of classes: Set<MetadataClass>) -> [Property] {
        Self.mapping.compactMap { field, number, name, form in
            guard classes.contains(field) else { return nil }
            let texts: [String] =
                switch form {
                case .list: all(number)
                default: (name == Self.dateCreated ? date : only(number)).map { [$0] } ?? []
                }
            return texts.isEmpty ? nil : Property(name: name, form: form, texts: texts)
        }
    }

    private static let dateCreated = "photoshop:DateCreated"

    private static let mapping: [(MetadataClass, Int, String, Property.Form)] = [
        (.rights, 80, "dc:creator", .list("Seq")),
        (.rights, 116, "dc:rights", .localized),
        (.rights, 110, "photoshop:Credit", .text),
        (.date, 55, dateCreated, .text),
        (.identifiers, 103, "photoshop:TransmissionReference", .text),
        (.description, 5, "dc:title", .localized),
        (.description, 12, "Iptc4xmpCore:SubjectCode", .list("Bag")),
        (.description, 15, "photoshop:Category", .text),
        (.description, 20, "photoshop:SupplementalCategories", .list("Bag")),
        (.description, 25, "dc:subject", .list("Bag")),
        (.description, 40, "photoshop:Instructions", .text),
        (.description, 105, "photoshop:Headline", .text),
        (.description, 120, "dc:description", .localized),
        (.description, 122, "photoshop:CaptionWriter", .text),
        (.location, 90, "photoshop:City", .text),
        (.location, 92, "Iptc4xmpCore:Location", .text),
        (.location, 95, "photoshop:State", .text),
        (.location, 100, "Iptc4xmpCore:CountryCode", .text),
        (.location, 101, "photoshop:Country", .text),
    ]

    /// Date Created, 2:55, with Time Created, 2:60: `CCYYMMDD` and `HHMMSS±HHMM` become ISO 8601.
    ///
    /// A part of a date that is not known is zero. Nil for texts of other forms.
    private var date: String? {
        guard let day = only(55).map(Array.init), day.count == 8, day.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        let parts = [String(day[..<4]), String(day[4..<6]), String(day[6...])]
        let known = parts.prefix { Int($0) != 0 }.joined(separator: "-")
        guard known.count == 10, let time = only(60).map(Array.init), [6, 11].contains(time.count),
            time[..<6].allSatisfy(\.isASCIIDigit)
        else { return known.isEmpty ? nil : known }
        var text = "\(known)T\(String(time[..<2])):\(String(time[2..<4])):\(String(time[4..<6]))"
        if time.count == 11 {
            guard "+-".contains(time[6]), time[7...].allSatisfy(\.isASCIIDigit) else { return known }
            text += "\(time[6])\(String(time[7..<9])):\(String(time[9...]))"
        }
        return text
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isWholeNumber }
}
