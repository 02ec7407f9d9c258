/// The metadata that an output keeps from its original.
public enum MetadataPolicy: Sendable, Hashable {
    /// No metadata: the pixels are upright and sRGB.
    case strip
    /// EXIF, XMP and IPTC datasets, corrected for the new image, and an sRGB profile.
    case keep
    /// The fields of these classes as EXIF and XMP, and an sRGB profile.
    case only(Set<MetadataClass>)

    /// Creator, copyright and licence, and an sRGB profile.
    public static let copyright = MetadataPolicy.only([.rights])

    /// The fields of all classes but these.
    ///
    /// It is less than `keep`: a field of no class may hold what is to go, as maker notes hold locations.
    public static func except(_ classes: Set<MetadataClass>) -> MetadataPolicy {
        .only(Set(MetadataClass.allCases).subtracting(classes))
    }
}

/// A class of metadata fields, by what they tell; `docs/metadata.md` lists the fields of EXIF, IPTC and XMP.
///
/// Every field belongs to one class or to none. Maker notes, thumbnails, the history of edits, ratings, and everything
/// unknown belong to none.
public enum MetadataClass: String, Sendable, Hashable, CaseIterable {
    // In the order of the bits of nb_class.

    /// Creator, copyright, credit, licence and releases of property.
    case rights
    /// The times when the image was taken, digitized and changed, without those in location data.
    case date
    /// Make and model of camera and lens, and the exposure.
    case camera
    /// Serial numbers, the camera's owner, and identifiers of the image, which lead to a person or to other images.
    case identifiers
    /// Title, caption, keywords, headline, comments and subjects.
    case description
    /// Persons shown, with their ages and releases.
    case people
    /// Coordinates, places shown and places of creation, with the time of the position.
    case location

    /// The classes as bits of the C codecs.
    static func bits(_ classes: Set<MetadataClass>) -> UInt32 {
        allCases.enumerated().reduce(0) { $0 | (classes.contains($1.element) ? 1 << UInt32($1.offset) : 0) }
    }
}
