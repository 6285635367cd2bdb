using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;

namespace HybridCaching.Records;

/// <summary>The fields of an unmanaged type as they lie in memory, nested ones taken apart. Found by reflection, once per cache.</summary>
internal sealed class TypeLayout
{
    /// <summary>One primitive field.</summary>
    /// <param name="Path">Its name, with the names of the fields it lies in: <c>Price.Amount</c>.</param>
    /// <param name="Type">Its type; enums as themselves.</param>
    /// <param name="Offset">Where it begins, in bytes.</param>
    /// <param name="Size">How long it is, in bytes.</param>
    public readonly record struct Field(string Path, Type Type, int Offset, int Size);

    /// <summary>The end of the name that the compiler gives to the field of an automatic property.</summary>
    private const string BackingField = ">k__BackingField";

    private readonly List<Field> _fields = [];

    private TypeLayout(Type type)
    {
        Type = type;
        Size = RuntimeHelpers.SizeOf(type.TypeHandle);
        Collect(type, "", 0);
    }

    public Type Type { get; }

    public int Size { get; }

    public IReadOnlyList<Field> Fields => _fields;

    /// <summary>The layout of <typeparamref name="T"/>.</summary>
    public static TypeLayout Of<T>()
        where T : unmanaged => new(typeof(T));

    /// <summary>The first byte that belongs to no field, or -1. Such bytes hold whatever was in memory before.</summary>
    public int FindPadding()
    {
        var covered = new bool[Size];
        foreach (var field in _fields) covered.AsSpan(field.Offset, Math.Min(field.Size, Size - field.Offset)).Fill(true);
        return Array.IndexOf(covered, false);
    }

    /// <summary>A SHA-256 over names, types, offsets and sizes: two types with the same fingerprint store the same bytes for the same fields.</summary>
    public string Fingerprint()
    {
        var text = new StringBuilder().Append(Type).Append(' ').Append(Size).Append(BitConverter.IsLittleEndian ? " LE" : " BE");
        foreach (var field in _fields) text.Append('\n').Append(field.Path).Append(' ').Append(field.Type).Append(' ').Append(field.Offset).Append(' ').Append(field.Size);
        return Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(text.ToString())));
    }

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "A type whose fields were trimmed away looks like padding: as a key it is refused, as a value it is stored as bytes.")]
    private void Collect(Type type, string path, int offset)
    {
        int size = RuntimeHelpers.SizeOf(type.TypeHandle);
        var members = IsLeaf(type) ? [] : type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
        if (IsLeaf(type))
        {
            _fields.Add(new Field(path, type, offset, size));
            return;
        }

        int repeats = type.GetCustomAttribute<InlineArrayAttribute>()?.Length ?? 1;
        foreach (var member in members)
        {
            string name = path.Length == 0 ? NameOf(member) : $"{path}.{NameOf(member)}";
            int start = offset + (repeats == 1 ? OffsetOf(type, member) : 0);
            if (member.GetCustomAttribute<FixedBufferAttribute>() is { } buffer)
            {
                int element = RuntimeHelpers.SizeOf(buffer.ElementType.TypeHandle);
                _fields.Add(new Field($"{name}[{buffer.Length}]", buffer.ElementType, start, element * buffer.Length));
                continue;
            }

            for (int i = 0; i < repeats; i++)
                Collect(member.FieldType, repeats == 1 ? name : $"{name}[{i}]", start + (i * RuntimeHelpers.SizeOf(member.FieldType.TypeHandle)));
        }
    }

    /// <summary>As it stands in the code: of an automatic property, and of a record's, the property's.</summary>
    private static string NameOf(FieldInfo field) => field.Name is ['<', .. var property] && property.EndsWith(BackingField, StringComparison.Ordinal) ? property[..^BackingField.Length] : field.Name;

    /// <summary>Types whose bytes are all value, or that nobody can look into.</summary>
    private static bool IsLeaf(Type type) =>
        type.IsPrimitive || type.IsEnum || type.IsPointer || type.IsFunctionPointer || type == typeof(decimal) || type == typeof(DateTime) || type == typeof(Half) || type == typeof(Int128) || type == typeof(UInt128);

    /// <summary>Where the field lies in the managed layout: writes all ones into it in a zeroed box and looks which byte changed first.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2067", Justification = "Uninitialized objects of value types need no constructor.")]
    [UnconditionalSuppressMessage("Trimming", "IL2072", Justification = "Uninitialized objects of value types need no constructor.")]
    private static int OffsetOf(Type type, FieldInfo member)
    {
        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            // Boxes of it are boxes of the value. It is a flag, and behind that the value.
            return member.FieldType == underlying && member.Name == "value" ? RuntimeHelpers.SizeOf(type.TypeHandle) - RuntimeHelpers.SizeOf(underlying.TypeHandle) : 0;
        }

        if (member.FieldType.IsPointer || member.FieldType.IsFunctionPointer) return 0;
        object box = RuntimeHelpers.GetUninitializedObject(type);
        object ones = RuntimeHelpers.GetUninitializedObject(member.FieldType);
        BytesOf(ones, RuntimeHelpers.SizeOf(ones.GetType().TypeHandle)).Fill(0xFF); // the box of a nullable is smaller than the nullable
        member.SetValue(box, ones);
        return BytesOf(box, RuntimeHelpers.SizeOf(type.TypeHandle)).IndexOfAnyExcept((byte)0);
    }

    private static Span<byte> BytesOf(object box, int size) => MemoryMarshal.CreateSpan(ref Unsafe.As<RawBox>(box).FirstByte, size);

    /// <summary>Gives the first byte behind the object header of a boxed value.</summary>
    private sealed class RawBox
    {
        public byte FirstByte;
    }
}
