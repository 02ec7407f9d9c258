import Imaging

extension ManifestSection {
    /// The chapters of the documentation: a section, and those that belong to it.
    package static let chapters: [[ManifestSection]] = [
        [Manifest.section],
        [Source.section, ItemEntry.section, ItemList.Columns.section],
        [
            ManifestOutput.section, OutputCondition.section, OutputFormat.section, JPEGOptions.section,
            PNGOptions.section, WebPOptions.section, AVIFOptions.section, JPEGXLOptions.section,
            GIFOptions.section, WrittenChoice.section, QualityFloor.section, MetadataChoice.section,
            AnimationBounds.section, Markup.section, ObjectSettings.section,
        ],
        [
            Step.section, Resize.section, Crop.section, Pad.section, Circle.section, RoundedCorners.section,
            Border.section, GaussianBlur.section, Sharpen.section, Rotate.section, Grayscale.section,
            Flatten.section, Trim.section, Adjust.section, WatermarkStep.section, Gravity.section,
        ],
        [CacheSettings.section],
        [
            LoadingSettings.section, LoadingSettings.Authorization.section,
            LoadingSettings.Authorization.basicSection, LoadingSettings.AWSKeys.section,
        ],
        [RetrySettings.section],
        [LimitSettings.section],
        [NetworkSettings.section],
        [DatasetSettings.section],
        [StorageSettings.section, S3Settings.section],
    ]

    /// All objects of a manifest.
    ///
    /// The documentation leaves out two: one has no keys, and one repeats the keys of `loading`.
    package static let all: [ManifestSection] =
        chapters.flatMap(\.self) + [OutputFormat.plainSection, LoadingSettings.hostSection]

    /// The first object that has a key, as messages call it; nil if none has.
    static func article(ofObjectWithKey name: String) -> String? {
        all.first { $0.contains(name) }?.article
    }
}

extension ManifestReading {
    /// Makes the reading of a list's row.
    package convenience init(rowIn folder: String) {
        self.init(rowIn: folder, objectWithKey: ManifestSection.article(ofObjectWithKey:))
    }
}
