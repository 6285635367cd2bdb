using System.ComponentModel;
using System.Globalization;

namespace HybridCaching;

/// <summary>Converts <see cref="ByteSize"/> from and to text and whole numbers, for configuration binders and designers.</summary>
internal sealed class ByteSizeTypeConverter : TypeConverter
{
    public override bool CanConvertFrom(ITypeDescriptorContext? context, Type sourceType) =>
        sourceType == typeof(string) || sourceType == typeof(long) || sourceType == typeof(int) || base.CanConvertFrom(context, sourceType);

    public override object? ConvertFrom(ITypeDescriptorContext? context, CultureInfo? culture, object value) => value switch
    {
        string text => ByteSize.Parse(text, culture),
        long bytes => new ByteSize(bytes),
        int bytes => new ByteSize(bytes),
        _ => base.ConvertFrom(context, culture, value),
    };

    public override object? ConvertTo(ITypeDescriptorContext? context, CultureInfo? culture, object? value, Type destinationType) =>
        value is ByteSize size && destinationType == typeof(string) ? size.ToString(null, culture) : base.ConvertTo(context, culture, value, destinationType);
}
