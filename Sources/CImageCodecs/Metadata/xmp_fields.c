// The classes of XMP's properties. Names are compared by the URI of their namespace, whatever the prefix.
#include "xmp_fields.h"

#include <stdio.h>
#include <string.h>

// Structures consist of names from those that have parts; of the others, only listed names are taken.
static const struct { const char *uri, *prefix; int has_parts; } namespaces[] = {
    {"http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf", 1},
    {"http://www.w3.org/XML/1998/namespace", "xml", 1},
    {"http://purl.org/dc/elements/1.1/", "dc", 1},
    {"http://ns.adobe.com/xap/1.0/rights/", "xmpRights", 1},
    {"http://ns.adobe.com/photoshop/1.0/", "photoshop", 1},
    {"http://ns.useplus.org/ldf/xmp/1.0/", "plus", 1},
    {"http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/", "Iptc4xmpCore", 1},
    {"http://iptc.org/std/Iptc4xmpExt/2008-02-29/", "Iptc4xmpExt", 1},
    {"http://ns.adobe.com/tiff/1.0/", "tiff", 0},
    {"http://ns.adobe.com/exif/1.0/", "exif", 0},
    {"http://cipa.jp/exif/1.0/", "exifEX", 0},
    {"http://ns.adobe.com/exif/1.0/aux/", "aux", 0},
    {"http://ns.adobe.com/xap/1.0/", "xmp", 0},
    {"http://ns.adobe.com/xap/1.0/mm/", "xmpMM", 0},
    {"http://ns.adobe.com/lightroom/1.0/", "lr", 0},
};

static const struct { nb_class of; const char *name; } properties[] = {
    // The rights and licensing properties of the IPTC Photo Metadata Standard (TechReference 2021.1, topics "rights" and
    // "licensing"; DataMining and OtherConstraints since 2023.1), and XMP's own rights schema (ISO 16684-1, 8.5).
    {NB_CLASS_RIGHTS, "dc:rights"},
    {NB_CLASS_RIGHTS, "dc:creator"},
    {NB_CLASS_RIGHTS, "photoshop:AuthorsPosition"},
    {NB_CLASS_RIGHTS, "photoshop:Credit"},
    {NB_CLASS_RIGHTS, "photoshop:Source"},
    {NB_CLASS_RIGHTS, "xmpRights:Certificate"},
    {NB_CLASS_RIGHTS, "xmpRights:Marked"},
    {NB_CLASS_RIGHTS, "xmpRights:Owner"},
    {NB_CLASS_RIGHTS, "xmpRights:UsageTerms"},
    {NB_CLASS_RIGHTS, "xmpRights:WebStatement"},
    {NB_CLASS_RIGHTS, "plus:CopyrightOwner"},
    {NB_CLASS_RIGHTS, "plus:ImageCreator"},
    {NB_CLASS_RIGHTS, "plus:ImageSupplier"},
    {NB_CLASS_RIGHTS, "plus:ImageSupplierImageID"},
    {NB_CLASS_RIGHTS, "plus:Licensor"},
    {NB_CLASS_RIGHTS, "plus:PropertyReleaseID"},
    {NB_CLASS_RIGHTS, "plus:PropertyReleaseStatus"},
    {NB_CLASS_RIGHTS, "plus:DataMining"},
    {NB_CLASS_RIGHTS, "plus:OtherConstraints"},
    {NB_CLASS_RIGHTS, "Iptc4xmpCore:CreatorContactInfo"},
    {NB_CLASS_RIGHTS, "Iptc4xmpExt:EmbdEncRightsExpr"},
    {NB_CLASS_RIGHTS, "Iptc4xmpExt:LinkedEncRightsExpr"},
    // XMP (ISO 16684-1, 8.4), Exif for XMP (CIPA DC-010) and Photoshop's schema (XMP part 2, 4.2).
    {NB_CLASS_DATE, "dc:date"},
    {NB_CLASS_DATE, "photoshop:DateCreated"},
    {NB_CLASS_DATE, "xmp:CreateDate"},
    {NB_CLASS_DATE, "xmp:ModifyDate"},
    {NB_CLASS_DATE, "xmp:MetadataDate"},
    {NB_CLASS_DATE, "tiff:DateTime"},
    {NB_CLASS_DATE, "exif:DateTimeOriginal"},
    {NB_CLASS_DATE, "exif:DateTimeDigitized"},
    {NB_CLASS_DATE, "exif:OffsetTime*"},
    {NB_CLASS_DATE, "exif:SubSecTime*"},
    // Exif for XMP, and Adobe's additional properties of lenses.
    {NB_CLASS_CAMERA, "tiff:Make"},
    {NB_CLASS_CAMERA, "tiff:Model"},
    {NB_CLASS_CAMERA, "exif:ExposureTime"},
    {NB_CLASS_CAMERA, "exif:FNumber"},
    {NB_CLASS_CAMERA, "exif:ExposureProgram"},
    {NB_CLASS_CAMERA, "exif:ISOSpeedRatings"},
    {NB_CLASS_CAMERA, "exif:ShutterSpeedValue"},
    {NB_CLASS_CAMERA, "exif:ApertureValue"},
    {NB_CLASS_CAMERA, "exif:BrightnessValue"},
    {NB_CLASS_CAMERA, "exif:ExposureBiasValue"},
    {NB_CLASS_CAMERA, "exif:MaxApertureValue"},
    {NB_CLASS_CAMERA, "exif:SubjectDistance"},
    {NB_CLASS_CAMERA, "exif:SubjectDistanceRange"},
    {NB_CLASS_CAMERA, "exif:MeteringMode"},
    {NB_CLASS_CAMERA, "exif:LightSource"},
    {NB_CLASS_CAMERA, "exif:Flash"},
    {NB_CLASS_CAMERA, "exif:Fired"},
    {NB_CLASS_CAMERA, "exif:Return"},
    {NB_CLASS_CAMERA, "exif:Mode"},
    {NB_CLASS_CAMERA, "exif:Function"},
    {NB_CLASS_CAMERA, "exif:RedEyeMode"},
    {NB_CLASS_CAMERA, "exif:FocalLength"},
    {NB_CLASS_CAMERA, "exif:FocalLengthIn35mmFilm"},
    {NB_CLASS_CAMERA, "exif:FlashEnergy"},
    {NB_CLASS_CAMERA, "exif:ExposureIndex"},
    {NB_CLASS_CAMERA, "exif:SensingMethod"},
    {NB_CLASS_CAMERA, "exif:FileSource"},
    {NB_CLASS_CAMERA, "exif:SceneType"},
    {NB_CLASS_CAMERA, "exif:SceneCaptureType"},
    {NB_CLASS_CAMERA, "exif:CustomRendered"},
    {NB_CLASS_CAMERA, "exif:ExposureMode"},
    {NB_CLASS_CAMERA, "exif:WhiteBalance"},
    {NB_CLASS_CAMERA, "exif:DigitalZoomRatio"},
    {NB_CLASS_CAMERA, "exif:GainControl"},
    {NB_CLASS_CAMERA, "exif:Contrast"},
    {NB_CLASS_CAMERA, "exif:Saturation"},
    {NB_CLASS_CAMERA, "exif:Sharpness"},
    {NB_CLASS_CAMERA, "exifEX:PhotographicSensitivity"},
    {NB_CLASS_CAMERA, "exifEX:SensitivityType"},
    {NB_CLASS_CAMERA, "exifEX:StandardOutputSensitivity"},
    {NB_CLASS_CAMERA, "exifEX:RecommendedExposureIndex"},
    {NB_CLASS_CAMERA, "exifEX:ISOSpeed*"},
    {NB_CLASS_CAMERA, "exifEX:LensSpecification"},
    {NB_CLASS_CAMERA, "exifEX:LensMake"},
    {NB_CLASS_CAMERA, "exifEX:LensModel"},
    {NB_CLASS_CAMERA, "aux:Lens"},
    {NB_CLASS_CAMERA, "aux:LensInfo"},
    {NB_CLASS_CAMERA, "aux:LensID"},
    {NB_CLASS_CAMERA, "aux:FlashCompensation"},
    // What tells one camera, owner or file from all others.
    {NB_CLASS_IDENTIFIERS, "dc:identifier"},
    {NB_CLASS_IDENTIFIERS, "xmp:Identifier"},
    {NB_CLASS_IDENTIFIERS, "xmpMM:DocumentID"},
    {NB_CLASS_IDENTIFIERS, "xmpMM:InstanceID"},
    {NB_CLASS_IDENTIFIERS, "xmpMM:OriginalDocumentID"},
    {NB_CLASS_IDENTIFIERS, "exif:ImageUniqueID"},
    {NB_CLASS_IDENTIFIERS, "exifEX:CameraOwnerName"},
    {NB_CLASS_IDENTIFIERS, "exifEX:BodySerialNumber"},
    {NB_CLASS_IDENTIFIERS, "exifEX:LensSerialNumber"},
    {NB_CLASS_IDENTIFIERS, "aux:OwnerName"},
    {NB_CLASS_IDENTIFIERS, "aux:SerialNumber"},
    {NB_CLASS_IDENTIFIERS, "aux:LensSerialNumber"},
    {NB_CLASS_IDENTIFIERS, "aux:ImageNumber"},
    {NB_CLASS_IDENTIFIERS, "photoshop:TransmissionReference"},
    {NB_CLASS_IDENTIFIERS, "Iptc4xmpExt:DigImageGUID"},
    {NB_CLASS_IDENTIFIERS, "Iptc4xmpExt:RegistryId"},
    // The topics "image content", "title" and "administrative" of the IPTC Photo Metadata Standard.
    {NB_CLASS_DESCRIPTION, "dc:title"},
    {NB_CLASS_DESCRIPTION, "dc:description"},
    {NB_CLASS_DESCRIPTION, "dc:subject"},
    {NB_CLASS_DESCRIPTION, "tiff:ImageDescription"},
    {NB_CLASS_DESCRIPTION, "exif:UserComment"},
    {NB_CLASS_DESCRIPTION, "lr:hierarchicalSubject"},
    {NB_CLASS_DESCRIPTION, "photoshop:Headline"},
    {NB_CLASS_DESCRIPTION, "photoshop:CaptionWriter"},
    {NB_CLASS_DESCRIPTION, "photoshop:Category"},
    {NB_CLASS_DESCRIPTION, "photoshop:SupplementalCategories"},
    {NB_CLASS_DESCRIPTION, "photoshop:Instructions"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpCore:IntellectualGenre"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpCore:Scene"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpCore:SubjectCode"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpCore:AltTextAccessibility"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpCore:ExtDescrAccessibility"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpExt:AboutCvTerm"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpExt:ArtworkOrObject"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpExt:DigitalSourceType"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpExt:Event"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpExt:Genre"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpExt:OrganisationInImageCode"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpExt:OrganisationInImageName"},
    {NB_CLASS_DESCRIPTION, "Iptc4xmpExt:ProductInImage"},
    // The topic "persons depicted", and the releases and ages of models.
    {NB_CLASS_PEOPLE, "Iptc4xmpExt:PersonInImage"},
    {NB_CLASS_PEOPLE, "Iptc4xmpExt:PersonInImageWDetails"},
    {NB_CLASS_PEOPLE, "Iptc4xmpExt:PersonName"},
    {NB_CLASS_PEOPLE, "Iptc4xmpExt:PersonId"},
    {NB_CLASS_PEOPLE, "Iptc4xmpExt:PersonDescription"},
    {NB_CLASS_PEOPLE, "Iptc4xmpExt:PersonCharacteristic"},
    {NB_CLASS_PEOPLE, "Iptc4xmpExt:AddlModelInfo"},
    {NB_CLASS_PEOPLE, "Iptc4xmpExt:ModelAge"},
    {NB_CLASS_PEOPLE, "plus:MinorModelAgeDisclosure"},
    {NB_CLASS_PEOPLE, "plus:ModelReleaseID"},
    {NB_CLASS_PEOPLE, "plus:ModelReleaseStatus"},
    // The topic "location" with the fields of its structures, and Exif for XMP.
    {NB_CLASS_LOCATION, "exif:GPS*"},
    {NB_CLASS_LOCATION, "dc:coverage"},
    {NB_CLASS_LOCATION, "photoshop:City"},
    {NB_CLASS_LOCATION, "photoshop:State"},
    {NB_CLASS_LOCATION, "photoshop:Country"},
    {NB_CLASS_LOCATION, "Iptc4xmpCore:CountryCode"},
    {NB_CLASS_LOCATION, "Iptc4xmpCore:Location"},
    {NB_CLASS_LOCATION, "Iptc4xmpExt:LocationCreated"},
    {NB_CLASS_LOCATION, "Iptc4xmpExt:LocationShown"},
    {NB_CLASS_LOCATION, "Iptc4xmpExt:City"},
    {NB_CLASS_LOCATION, "Iptc4xmpExt:CountryCode"},
    {NB_CLASS_LOCATION, "Iptc4xmpExt:CountryName"},
    {NB_CLASS_LOCATION, "Iptc4xmpExt:LocationId"},
    {NB_CLASS_LOCATION, "Iptc4xmpExt:LocationName"},
    {NB_CLASS_LOCATION, "Iptc4xmpExt:ProvinceState"},
    {NB_CLASS_LOCATION, "Iptc4xmpExt:Sublocation"},
    {NB_CLASS_LOCATION, "Iptc4xmpExt:WorldRegion"},
};

static uint32_t class_of(const char *usual) {
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        size_t count = strlen(properties[i].name);
        int is_beginning = properties[i].name[count - 1] == '*';
        if (is_beginning ? strncmp(usual, properties[i].name, count - 1) == 0 : strcmp(usual, properties[i].name) == 0)
            return properties[i].of;
    }
    return 0;
}

nb_field nb_field_of(const char *name) {
    nb_field field = {0};
    const char *local = strchr(name, '\n');
    if (local == NULL) return field;
    size_t count = (size_t)(local++ - name);
    for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++) {
        if (strlen(namespaces[i].uri) != count || memcmp(namespaces[i].uri, name, count) != 0) continue;
        int written = snprintf(field.usual, sizeof field.usual, "%s:%.*s", namespaces[i].prefix,
                               (int)strcspn(local, "\n"), local);
        if (written >= (int)sizeof field.usual) return (nb_field){0};
        field.classes = class_of(field.usual);
        field.is_part = namespaces[i].has_parts;
    }
    return field;
}

const char *nb_xmp_namespace(size_t index, const char **prefix) {
    if (index >= sizeof namespaces / sizeof *namespaces) return NULL;
    *prefix = namespaces[index].prefix;
    return namespaces[index].uri;
}

const char *nb_xmp_property(size_t index, nb_class *class_of_it) {
    if (index >= sizeof properties / sizeof *properties) return NULL;
    *class_of_it = properties[index].of;
    return properties[index].name;
}
